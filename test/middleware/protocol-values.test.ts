import { expect, it, onTestFinished } from 'vitest';
import { redaction } from '../../src/middleware/index.js';
import { Server } from '../../src/server/index.js';
import { connectTest } from '../../src/testing/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { serve } from '../http/serve.js';
import { connectRaw } from '../raw-client.js';

const REVISIONS = ['2025-06-18', '2026-07-28'];
/** Tokens, dates, and cursors, of which a pattern for something else may remind. */
const SECRETS = redaction({ patterns: [/sk-\w+/g, /\d{4}-\d{2}-\d{2}/g, /\bdG\w+=*/g] });

async function open(revision: string) {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { pageSize: 1 });
  for (const name of ['soup', 'salad'])
    server.tool(name, {}, (_args, ctx) => {
      ctx.progress(1, { message: 'with sk-1' });
      return 'born on 1999-12-31';
    });
  server.use(SECRETS);
  const client = await connectRaw(server, { revision });
  onTestFinished(() => client.close());
  return client;
}

it.each(REVISIONS)(
  'redaction leaves a progress token that looks like a secret as it is, on %s',
  async revision => {
    const client = await open(revision);
    const result = await client.request('tools/call', { name: 'soup', _meta: { progressToken: 'sk-12' } });
    expect(client.notifications).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'sk-12', message: 'with [redacted]' } },
    ]);
    expect(result).toMatchObject({ content: [{ text: 'born on [redacted]' }] });
  },
);

it.each(REVISIONS)('redaction leaves cursors as they are, on %s', async revision => {
  const client = await open(revision);
  const { nextCursor } = await client.request('tools/list');
  const { tools } = await client.request('tools/list', { cursor: nextCursor });
  expect(tools).toMatchObject([{ name: 'salad' }]);
});

it('redaction leaves the names of revisions as they are', async () => {
  const { supportedVersions } = await (await open('2026-07-28')).request('server/discover');
  expect(supportedVersions).toContain('2025-06-18');
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.use(SECRETS);
  const { initialized } = await LegacyClient.open((await serve(server)).url);
  expect(initialized.result.protocolVersion).toBe('2025-06-18');
});

it('redaction leaves the id of a page that a user was sent to as it is', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.use(redaction({ patterns: [/[0-9a-f]{8}-[0-9a-f-]{27}/g] }));
  const elicitationId = '0f8b5a1e-5d2c-4c5e-9f0a-1b2c3d4e5f60';
  server.tool('pay', {}, async (_args, ctx) => {
    const { action } = await ctx.elicitUrl(`Pay ${elicitationId}`, 'https://bistro.example', {
      elicitationId,
    });
    return action;
  });
  const asked: unknown[] = [];
  let hear = (_params: object): void => {};
  const heard = new Promise<object>(resolve => (hear = resolve));
  const client = await connectTest(server, {
    revision: '2025-11-25',
    onElicitUrl: question => {
      asked.push(question);
      return { action: 'accept' };
    },
    onNotification: (_method, params) => hear(params),
  });
  onTestFinished(() => client.close());
  await client.callTool('pay');
  expect(asked).toMatchObject([{ elicitationId, message: 'Pay [redacted]' }]);
  server.elicitationCompleted(elicitationId);
  expect(await heard).toEqual({ elicitationId });
});

it.each(REVISIONS)(
  'middleware around notifications cannot change a progress token, on %s',
  async revision => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('cook', {}, (_args, ctx) => ctx.progress(1));
    server.use({
      send: ({ params }, next) => next({ params: { ...params, progressToken: 'another', a: 1 } }),
    });
    const client = await connectRaw(server, { revision });
    onTestFinished(() => client.close());
    for (const progressToken of [7, '7'])
      await client.request('tools/call', { name: 'cook', _meta: { progressToken } });
    expect(client.notifications.map(({ params }) => params)).toMatchObject([
      { progressToken: 7, a: 1 },
      { progressToken: '7', a: 1 },
    ]);
  },
);

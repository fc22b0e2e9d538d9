import { expect, it, onTestFinished } from 'vitest';
import { redaction } from '../../src/middleware/index.js';
import { Server } from '../../src/server/index.js';
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

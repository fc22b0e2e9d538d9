import { describe, expect, it } from 'vitest';
import { type Context, Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

/** Runs a handler, and resolves with what it got thrown, and what the client got told. */
async function run(revision: string, handler: (ctx: Context) => void) {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
  let thrown: unknown;
  server.tool('run', {}, (_args, ctx) => {
    try {
      handler(ctx);
    } catch (error) {
      thrown = error;
    }
  });
  const client = await connectRaw(server, { revision });
  await client.request('tools/call', { name: 'run', _meta: { progressToken: 1 } });
  await client.close();
  return { thrown, told: client.notifications };
}

describe.each(['2025-06-18', '2026-07-28'])('on %s', revision => {
  it.each([
    'notifications/progress',
    'notifications/message',
    'notifications/cancelled',
    'notifications/tools/list_changed',
    'notifications/resources/updated',
    'notifications/subscriptions/acknowledged',
  ])('a handler cannot send %s past the rules of the protocol', async method => {
    const { thrown, told } = await run(revision, ctx =>
      ctx.notify(method, { progressToken: 2, progress: 1 }),
    );
    expect(thrown).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`${method} belongs to the protocol`),
    });
    expect(told).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a text', 'Emma'],
    ['a list', ['Emma']],
    ['null', null],
  ])('a handler cannot send a notification whose parameters are %s', async (_, params) => {
    const { thrown, told } = await run(revision, ctx =>
      ctx.notify('notifications/acme/found', params as never),
    );
    expect(thrown).toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('the parameters of notifications/acme/found must be an object'),
    });
    expect(told).toEqual([]);
  });

  it('a handler can send a notification of its own', async () => {
    const { told } = await run(revision, ctx => ctx.notify('notifications/acme/found', { book: 'Emma' }));
    expect(told).toMatchObject([{ method: 'notifications/acme/found', params: { book: 'Emma' } }]);
  });
});

import { expect, test, vi } from 'vitest';
import { memoryCluster } from '../../src/server/cluster/index.js';
import { Server } from '../../src/server/index.js';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve } from './serve.js';

const FORM = { type: 'object', properties: { sure: { type: 'boolean' } } } as const;

/** A server whose tool may be used once per state. */
function bank(warnings?: string[]): Server {
  const server = new Server(
    { name: 'bank', version: '1.0.0' },
    { onWarning: warnings && ((warning, where) => warnings.push(`${where}: ${warning}`)) },
  );
  server.tool('pay', { refuseReplays: true }, async (_, ctx) => {
    await ctx.elicit('Sure?', FORM);
    return 'paid';
  });
  return server;
}

async function pay(url: string): Promise<void> {
  const client = new ModernClient(url);
  const options = { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } };
  const { result } = await client.call('pay', {}, options);
  const inputResponses = Object.fromEntries(
    Object.keys(result.inputRequests).map(id => [id, { action: 'accept', content: { sure: true } }]),
  );
  const params = { name: 'pay', arguments: {}, requestState: result.requestState, inputResponses };
  expect((await client.request('tools/call', params, options)).result.content[0].text).toBe('paid');
}

async function endSession(url: string): Promise<void> {
  const client = await LegacyClient.open(url);
  expect((await fetch(url, { method: 'DELETE', headers: client.headers })).status).toBe(204);
}

// Warnings about processes are given once per process, so each of them has one test here.

test('a server with keys that remembers used states in its process says so once', async () => {
  const warnings: string[] = [];
  const shared = { redeem: () => true };
  await pay((await serve(bank(warnings), { singleUse: shared })).url);
  expect(warnings).toEqual([]);
  for (let times = 0; times < 2; times++) await pay((await serve(bank(warnings))).url);
  expect(warnings).toEqual([
    expect.stringMatching(/^singleUse: keys are set, but only this process .* shared store as singleUse\.$/),
  ]);
});

test('a server says once that clients miss events, because they came back too late for them', async () => {
  const warnings: string[] = [];
  const server = bank(warnings);
  const gate = createGate();
  server.tool('talk', {}, async (_, ctx) => {
    ctx.log.info('first');
    await gate.passed;
    for (let n = 0; n < 20; n++) ctx.log.info('x'.repeat(100_000));
    return 'done';
  });
  const client = await LegacyClient.open((await serve(server)).url);
  const stream = await client.stream('talk');
  await stream.message();
  stream.cut();
  gate.open();
  for (let times = 0; times < 2; times++) await (await client.resume(stream.lastId!)).rest();
  expect(warnings).toEqual([
    expect.stringMatching(/^streams: a client came back to a stream whose oldest events were no longer kept/),
  ]);
});

test('a server with keys that remembers an ended session in its process says so once', async () => {
  const warnings: string[] = [];
  await endSession((await serve(bank(warnings), { keys: [] })).url);
  expect(warnings.filter(warning => warning.startsWith('sessions'))).toEqual([]);
  for (let times = 0; times < 2; times++) await endSession((await serve(bank(warnings))).url);
  expect(warnings.filter(warning => warning.startsWith('sessions'))).toEqual([
    expect.stringMatching(/^sessions: a client ended its session, and only this process .* one of them\.$/),
  ]);
});

test('a server with keys names once each thing that other processes do not know', async () => {
  const warnings: string[] = [];
  const use = async (options: object) => {
    const { url } = await serve(bank(warnings), options);
    const listening = await new ModernClient(url).post('subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    await listening.body?.cancel();
    const client = await LegacyClient.open(url);
    await client.request('logging/setLevel', { level: 'error' });
  };
  await use({ keys: [] });
  await use({ cluster: memoryCluster() });
  const isLocal = (warning: string) => warning.includes('keys are set');
  expect(warnings.filter(isLocal)).toEqual([]);
  for (let times = 0; times < 2; times++) await use({});
  expect(warnings.filter(isLocal).sort()).toEqual([
    expect.stringMatching(/^changes: .* hear only of changes that this process announces\. .* a cluster\.$/),
    expect.stringMatching(/^sessions: .* only this process knows the log level, subscriptions, values .*\.$/),
  ]);
});

test('warnings are printed with the name of the server, apart from errors, if nobody receives them', async () => {
  const printed = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const errors: unknown[] = [];
  const server = new Server({ name: 'bank', version: '1.0.0' }, { onError: error => errors.push(error) });
  server.tool('pay the bill', {}, () => 'paid');
  expect(printed.mock.calls).toEqual([
    [expect.stringMatching(/^\[bank\] warning about tool "pay the bill": clients may refuse the name/)],
  ]);
  expect(errors).toEqual([]);
  printed.mockRestore();
});

test('a receiver of warnings that throws does no harm', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  const onWarning = () => {
    throw new Error('broken');
  };
  const server = new Server({ name: 'bank', version: '1.0.0' }, { onWarning });
  server.tool('pay the bill', {}, () => 'paid');
  await expect.poll(() => printed.mock.calls.length).toBe(1);
  printed.mockRestore();
});

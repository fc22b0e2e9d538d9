import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Server } from '../../../server/server.js';
import { serveStdio } from './serve.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

test('what was used is remembered in the store that is given', async () => {
  const server = new Server({ name: 'shop', version: '1.0.0' });
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } } } as const;
  server.tool(
    'pay',
    { refuseReplays: true },
    async (_args, ctx) => (await ctx.elicit('Pay?', schema)).action,
  );
  const redeemed: string[] = [];
  const [input, output] = [new PassThrough(), new PassThrough()];
  const singleUse = { redeem: (id: string) => redeemed.push(id) < 2 };
  const serving = serveStdio(server, { input, output, singleUse });
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();

  const call = async (extra: object = {}) => {
    const params = { name: 'pay', arguments: {}, ...extra, _meta };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    return JSON.parse((await lines.next()).value);
  };
  const { requestState } = (await call()).result;
  const answered = { requestState, inputResponses: { q0: { action: 'decline' } } };
  expect((await call(answered)).result.content[0].text).toBe('decline');
  expect((await call(answered)).error.message).toContain('used already');
  expect(redeemed).toEqual([requestState.slice(0, 32), requestState.slice(0, 32)]);
  await serving.close();
});

test('close() takes the time that calls may still have', async () => {
  const server = new Server({ name: 'shop', version: '1.0.0' });
  server.tool('wait', {}, (_args, ctx) => {
    void running.close(0);
    return new Promise(resolve => ctx.signal.addEventListener('abort', () => resolve('too late')));
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const running = serveStdio(server, { input, output, graceMs: 60_000 });
  input.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', _meta } })}\n`,
  );
  await running.closed;
  expect(output.read()).toBeNull();
});

import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { envelope } from '../http/modern-client.js';

// covers: 2026-07-28/stdio/no-newline-in-a-message, 2026-07-28/stdio/server-sends-no-requests
it('a server that asks on a pipe of the newest revision sends no requests, and each message is one line', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('ask', {}, async (_args, ctx) => {
    ctx.log.info('line 1\nline 2\r\u2028line 3');
    const roots = await ctx.roots();
    return `${roots.length}\nroots\r\n`;
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = serveStdio(server, { input, output });
  onTestFinished(() => serving.close(0));
  const lines = createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY });
  const call = async (id: number, more: object = {}) => {
    const meta = {
      ...envelope(),
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    const params = { name: 'ask', _meta: meta, ...more };
    input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    const messages: any[] = [];
    do messages.push(JSON.parse((await once(lines, 'line'))[0]));
    while (messages.at(-1).id === undefined);
    for (const message of messages) expect('method' in message && 'id' in message).toBe(false);
    return messages.at(-1).result;
  };
  const asked = await call(1);
  expect(asked).toMatchObject({ resultType: 'input_required' });
  const [name] = Object.keys(asked.inputRequests);
  const inputResponses = { [name!]: { roots: [{ uri: 'file:///work' }] } };
  const answered = await call(2, { requestState: asked.requestState, inputResponses });
  expect(answered).toMatchObject({ content: [{ text: '1\nroots\r\n' }] });
});

describe('a cancellation on a pipe of the newest revision', () => {
  // covers: 2026-07-28/basic/notification-gets-no-response
  // covers: 2026-07-28/cancellation/invalid-cancellation-is-ignored
  // covers: 2026-07-28/cancellation/races-are-handled
  it.each<[string, unknown]>([
    ['of a request that was answered', { requestId: 1 }],
    ['of a request that never was', { requestId: 'nobody' }],
    ['with an id that is none', { requestId: { a: 1 } }],
    ['without an id', {}],
    ['without parameters', undefined],
  ])('%s is ignored', async (_, params) => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('greet', {}, () => 'hello');
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(server, { input, output });
    onTestFinished(() => serving.close(0));
    const lines: any[] = [];
    createInterface({ input: output }).on('line', line => lines.push(JSON.parse(line)));
    const write = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const call = (id: number) =>
      write({ id, method: 'tools/call', params: { name: 'greet', _meta: envelope() } });
    call(1);
    await expect.poll(() => lines).toHaveLength(1);
    write({ method: 'notifications/cancelled', ...(params !== undefined && { params }) });
    call(2);
    await expect.poll(() => lines.at(-1).id).toBe(2);
    expect(lines).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ]);
  });
});

import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { initializeRequest } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { postJson } from '../http/send.js';
import { serve } from '../http/serve.js';
import { Lines } from './lines.js';

const SAFE = '9007199254740991';
/** As a JavaScript number it is 9007199254740992. */
const UNSAFE = '9007199254740993';

function counting(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('count', {}, (_args, ctx) => {
    ctx.progress(1);
    return 'counted';
  });
  return server;
}

const call = (token: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","_meta":{"progressToken":${token}}}}`;

/** Everything that the server sends for a call with a token, by the way it is reached. */
const DOORS: Record<string, (token: string) => Promise<string>> = {
  async listen(token) {
    const { url } = await serve(counting());
    const opened = await postJson(url, initializeRequest());
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') as string };
    return (await postJson(url, call(token), session)).text();
  },
  async fetchHandler(token) {
    const handler = fetchHandler(counting(), { allowedHosts: ['localhost'] });
    onTestFinished(() => handler.close(0));
    const post = (body: string, headers = {}) => {
      const accept = 'application/json, text/event-stream';
      const all = { 'content-type': 'application/json', accept, ...headers };
      return handler(new Request('http://localhost/mcp', { method: 'POST', headers: all, body }));
    };
    const opened = await post(JSON.stringify(initializeRequest()));
    return (await post(call(token), { 'mcp-session-id': opened.headers.get('mcp-session-id') })).text();
  },
  async stdio(token) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const serving = serveStdio(counting(), { input, output });
    onTestFinished(() => serving.close(0));
    const lines = new Lines(output);
    input.write(`${JSON.stringify(initializeRequest())}\n${call(token)}\n`);
    await lines.until(text => text.includes('counted'));
    return lines.all.join('\n');
  },
  async 'the newest revision'(token) {
    const { url } = await serve(counting());
    const stream = await new ModernClient(url).post(
      'tools/call',
      { name: 'count' },
      { meta: { progressToken: JSON.parse(token) } },
    );
    return stream.text();
  },
};

describe.each(Object.keys(DOORS))('a progress token, over %s,', door => {
  const send = DOORS[door] as (token: string) => Promise<string>;

  it('comes back as it was sent', async () => {
    expect(await send(SAFE)).toContain(`"progressToken":${SAFE}`);
  });

  it.each([UNSAFE, `-${UNSAFE}`, '1e300', '1.5'])(
    'gets no progress if it would come back as another: %s',
    async token => {
      const text = await send(token);
      expect(text).toContain('counted');
      expect(text).not.toContain('progressToken');
    },
  );
});

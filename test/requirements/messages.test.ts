import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client, ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { serve } from '../http/serve.js';
import { program } from '../programs/program.js';
import { createBistro } from './fixtures/bistro.js';
import { REVISION } from './raw-pair.js';
import { recordHttp } from './recorded-http.js';

const TRICKY = 'a\nb\r\nc\u2028 ß☃𝄞';

const OPTIONS: ConnectOptions = {
  revision: REVISION,
  roots: [{ uri: 'file:///work' }],
  logLevel: 'debug',
  onLog: () => {},
  onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
  onSample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: TRICKY } }),
};

/** Uses every feature that sends a message. */
async function useEverything(client: Client): Promise<void> {
  await client.tools();
  await client.prompts();
  await client.resources();
  await client.readResource('menu://today');
  await client.getPrompt('order', { dish: 'soup' });
  await client.complete({ type: 'ref/prompt', name: 'order' }, { name: 'dish', value: 's' });
  const onProgress = () => {};
  const answers = await Promise.all([
    client.callTool('ask', {}, { onProgress }),
    client.callTool('ask', {}, { onProgress }),
    client.callTool('lines', { text: TRICKY }, { onProgress }),
  ]);
  const texts = [`accept ${TRICKY} file:///work`, `accept ${TRICKY} file:///work`, TRICKY];
  expect(answers.map(({ content }) => content)).toEqual(texts.map(text => [{ type: 'text', text }]));
  await expect(client.callTool('no such tool')).rejects.toThrow();
  await expect(client.request('no/such/method')).rejects.toThrow();
  await expect(client.readResource('menu://never')).rejects.toThrow();
  await client.setRoots([{ uri: 'file:///home' }]);
  const controller = new AbortController();
  const leaving = { signal: controller.signal, onProgress: () => controller.abort(new Error('enough')) };
  await expect(client.callTool('endless', {}, leaving)).rejects.toThrow('enough');
  await client.close();
}

/** The messages of one session, in the order in which each side sent them. */
interface Session {
  ofClient: any[];
  ofServer: any[];
}

async function overHttp(): Promise<Session> {
  const { url } = await serve(createBistro());
  const recorded = await recordHttp(url);
  onTestFinished(() => recorded.close());
  await useEverything(await connect(`${recorded.origin}/mcp`, OPTIONS));
  const dataOf = (body: string) =>
    body.startsWith('{')
      ? [body]
      : [...body.matchAll(/^data: ([^\n]+)$/gm)].map(([, data]) => data as string);
  return {
    ofClient: recorded.requests.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body)])),
    ofServer: recorded.responses.flatMap(dataOf).map(data => JSON.parse(data)),
  };
}

/** The bytes that each side of a session over stdio wrote, with the server in a process of its own. */
async function runStdio(): Promise<Record<'client' | 'server', Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-messages-'));
  const script = fileURLToPath(new URL('fixtures/recorded-stdio.ts', import.meta.url));
  const args = [program(script), folder];
  await useEverything(await connect({ command: process.execPath, args }, OPTIONS));
  const written = { client: await readFile(`${folder}/client`), server: await readFile(`${folder}/server`) };
  await rm(folder, { recursive: true });
  return written;
}

let stdio: ReturnType<typeof runStdio> | undefined;

/** One session is enough for all tests. */
function overStdio(): ReturnType<typeof runStdio> {
  stdio ??= runStdio();
  return stdio;
}

function linesOf(bytes: Buffer): string[] {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes).split('\n').slice(0, -1);
}

/** Every message is a request, a notification, a result or an error, and nothing else. */
function expectJsonRpc(messages: any[]): void {
  for (const message of messages) {
    expect(message.jsonrpc).toBe('2.0');
    const { id, method, result, error } = message;
    if (method === undefined) {
      expect([result === undefined, error === undefined].sort(), JSON.stringify(message)).toEqual([
        false,
        true,
      ]);
      if (error !== undefined) {
        expect(Number.isInteger(error.code)).toBe(true);
        expect(error.message).toEqual(expect.any(String));
      } else expect(result).toBeTypeOf('object');
    } else {
      expect(method).toBeTypeOf('string');
      expect('result' in message || 'error' in message).toBe(false);
      if (!method.startsWith('notifications/')) expect(isId(id), JSON.stringify(message)).toBe(true);
      else expect('id' in message).toBe(false);
    }
  }
}

function isId(id: unknown): boolean {
  return typeof id === 'string' || Number.isInteger(id);
}

function idsOfRequests(messages: any[]): unknown[] {
  return messages.filter(({ method, id }) => method !== undefined && id !== undefined).map(({ id }) => id);
}

function idsOfResponses(messages: any[]): unknown[] {
  return messages.filter(({ method }) => method === undefined).map(({ id }) => id);
}

/** Nobody uses an id twice, and whatever is answered was asked, once. */
function expectIds(asking: any[], answering: any[]): void {
  const asked = idsOfRequests(asking);
  expect(asked.length).toBeGreaterThan(1);
  expect(new Set(asked).size).toBe(asked.length);
  const cancelled = asking.flatMap(({ method, params }) =>
    method === 'notifications/cancelled' ? [params.requestId] : [],
  );
  const answered = idsOfResponses(answering);
  expect(new Set(answered).size).toBe(answered.length);
  expect(new Set([...answered, ...cancelled])).toEqual(new Set(asked));
}

/** Progress has the token of a request that asked for it, grows, and comes before the response. */
function expectProgress(asking: any[], answering: any[]): void {
  const tokens = asking.flatMap(({ params }) => params?._meta?.progressToken ?? []);
  expect(tokens.every(isId)).toBe(true);
  expect(new Set(tokens).size).toBe(tokens.length);
  const last = new Map<unknown, number>();
  for (const { method, params } of answering) {
    if (method !== 'notifications/progress') continue;
    expect(tokens).toContain(params.progressToken);
    expect(params.progress).toBeGreaterThan(last.get(params.progressToken) ?? -1);
    last.set(params.progressToken, params.progress);
  }
  expect(last.size).toBeGreaterThan(0);
}

describe.for([
  ['HTTP', overHttp],
  [
    'stdio',
    async () => {
      const { client, server } = await overStdio();
      const read = (bytes: Buffer) => linesOf(bytes).map(line => JSON.parse(line));
      return { ofClient: read(client), ofServer: read(server) };
    },
  ],
] as const)('in a whole session of 2025-06-18 over %s', ([, record]) => {
  // covers: 2025-06-18/basic/base-and-lifecycle-are-supported, 2025-06-18/basic/messages-follow-json-rpc
  // covers: 2025-06-18/basic/request-id-is-string-or-integer, 2025-06-18/basic/request-id-is-not-null
  // covers: 2025-06-18/basic/request-id-is-not-reused, 2025-06-18/basic/response-has-the-id-of-its-request
  // covers: 2025-06-18/basic/response-has-result-or-error, 2025-06-18/basic/response-has-not-both
  // covers: 2025-06-18/basic/error-has-code-and-message, 2025-06-18/basic/error-code-is-an-integer
  // covers: 2025-06-18/basic/notification-has-no-id, 2025-06-18/progress/token-is-string-or-integer
  // covers: 2025-06-18/progress/token-is-unique, 2025-06-18/progress/value-increases
  test('every message of both sides is one of JSON-RPC, with ids and progress tokens that are unique', async () => {
    const { ofClient, ofServer } = await record();
    expectJsonRpc(ofClient);
    expectJsonRpc(ofServer);
    expectIds(ofClient, ofServer);
    expectIds(ofServer, ofClient);
    expectProgress(ofClient, ofServer);
  });
});

// covers: 2025-06-18/transports/client-supports-stdio, 2025-06-18/transports/server-messages-are-utf-8
// covers: 2025-06-18/transports/client-messages-are-utf-8
// covers: 2025-06-18/transports/stdio-server-writes-no-newlines-in-messages
// covers: 2025-06-18/transports/stdio-client-writes-no-newlines-in-messages
// covers: 2025-06-18/transports/stdio-server-writes-only-messages, 2025-06-18/transports/stdio-client-writes-only-messages
test('over stdio each side writes UTF-8 and one message per line, and nothing else', async () => {
  for (const bytes of Object.values(await overStdio())) {
    expect(bytes.at(-1)).toBe('\n'.charCodeAt(0));
    for (const line of linesOf(bytes)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  }
});

// covers: 2025-06-18/transports/custom-keeps-format-and-lifecycle
test('over a transport of the author the format and the lifecycle are the same', async () => {
  const sent: any[] = [];
  let receive: (text: string) => unknown = () => {};
  const client = await connect(
    {
      async start(onMessage) {
        receive = onMessage;
      },
      send(text) {
        const message = JSON.parse(text);
        sent.push(message);
        const serverInfo = { name: 'by hand', version: '1' };
        const results: Record<string, object> = {
          initialize: { protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo },
          'tools/list': { tools: [] },
        };
        const result = results[message.method];
        if (result) receive(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      },
      async close() {},
    },
    { revision: REVISION },
  );
  await client.tools();
  await client.close();
  expectJsonRpc(sent);
  expect(sent.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
});

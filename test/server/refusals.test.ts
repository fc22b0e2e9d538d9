import { describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { envelope, ModernClient, type ModernOptions, mirror } from '../http/modern-client.js';
import { postJson } from '../http/send.js';
import { serve } from '../http/serve.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';

function bistro(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
  const input = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
  server.tool('reserve', { input }, () => 'done');
  server.tool('ask', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
  server.prompt(
    'order',
    { input: { type: 'object', properties: { dish: { type: 'string' } }, required: ['dish'] } },
    () => 'x',
  );
  server.prompt('broken', {}, () => {
    throw new Error('no');
  });
  server.resource('menu://today', {}, () => 'Soup');
  return server;
}

const REFUSED: [string, string, object?, ModernOptions?][] = [
  ['an unknown method', 'no/such/method'],
  ['an unknown tool', 'tools/call', { name: 'nope' }],
  ['arguments that are no object', 'tools/call', { name: 'reserve', arguments: [] }],
  ['a question that the client cannot answer', 'tools/call', { name: 'ask' }],
  ['a state that nobody sealed', 'tools/call', { name: 'ask', requestState: 'nonsense' }],
  ['answers that are none', 'tools/call', { name: 'ask', inputResponses: 5 }],
  ['an unknown prompt', 'prompts/get', { name: 'nope' }],
  ['a missing argument', 'prompts/get', { name: 'order', arguments: {} }],
  ['a prompt that fails', 'prompts/get', { name: 'broken' }],
  ['an unknown resource', 'resources/read', { uri: 'menu://tomorrow' }],
  ['a cursor that nobody gave out', 'tools/list', { cursor: 'nonsense' }],
  ['an unknown log level', 'tools/list', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'nonsense' } }],
  ['a missing version', 'tools/list', {}, { meta: { [VERSION]: undefined } }],
  [
    'an unknown version',
    'tools/list',
    {},
    { meta: { [VERSION]: 'nonsense' }, headers: { 'mcp-protocol-version': 'nonsense' } },
  ],
  ['a wrong header', 'tools/call', { name: 'reserve' }, { headers: { 'mcp-name': 'nonsense' } }],
  ['a missing header', 'tools/list', {}, { headers: { 'mcp-method': '' } }],
  ['a filter that is none', 'subscriptions/listen', { notifications: 'nonsense' }],
];

describe('a refusal', () => {
  // covers: 2026-07-28/basic/error-has-code-and-message, 2026-07-28/basic/error-has-the-id-of-its-request
  // covers: 2026-07-28/basic/no-codes-of-the-legacy-range
  // covers: 2026-07-28/basic/no-new-codes-in-the-legacy-range
  it.each(REFUSED)(
    'is one short sentence with a code that is defined, for %s',
    async (_, method, params, options) => {
      const { url } = await serve(bistro());
      const { error, last } = await new ModernClient(url).request(method, params, { id: 'r', ...options });
      expect(last.id).toBe('r');
      expect([-32601, -32602, -32603, -32020, -32021, -32022]).toContain(error?.code);
      expect(error?.message).toMatch(/^.{5,250}$/);
    },
  );
});

describe('a notification that cannot be accepted', () => {
  // covers: 2026-07-28/streamable-http/refused-notification-has-an-error-status
  it.each<[string, object, Record<string, string>]>([
    ['is no message', { method: 'notifications/cancelled', params: {} }, {}],
    ['has parameters that are none', { jsonrpc: '2.0', method: 'notifications/cancelled', params: 5 }, {}],
    ['has no method', { jsonrpc: '2.0', params: {} }, {}],
    ['comes from elsewhere', cancelled(), { origin: 'https://evil.example' }],
    ['claims another type', cancelled(), { 'content-type': 'text/plain' }],
  ])('is answered with an error status, and without an id: it %s', async (_, body, headers) => {
    const { url } = await serve(bistro());
    const response = await postJson(url, body, { ...mirror('notifications/cancelled', {}), ...headers });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(await response.text()).not.toContain('"id"');
  });
});

function cancelled(): object {
  return { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: envelope() } };
}

describe('the message of an error', () => {
  const LONG = 'x'.repeat(1000);

  // covers: 2026-07-28/schema/error-messages-are-concise
  it.each<[string, string, object, ModernOptions?]>([
    ['a method', LONG, {}],
    ['a tool', 'tools/call', { name: LONG }],
    ['a prompt', 'prompts/get', { name: LONG }],
    ['a resource', 'resources/read', { uri: `menu://${LONG}` }],
    ['a cursor', 'tools/list', { cursor: LONG }],
    ['a log level', 'tools/list', {}, { meta: { 'io.modelcontextprotocol/logLevel': LONG } }],
    ['a version', 'tools/list', {}, { meta: { [VERSION]: LONG }, headers: { 'mcp-protocol-version': LONG } }],
    ['a version in the body', 'tools/list', {}, { meta: { [VERSION]: LONG } }],
    ['a header', 'tools/call', { name: 'reserve' }, { headers: { 'mcp-name': LONG } }],
    ['a header, and of a tool,', 'tools/call', { name: LONG }, { headers: { 'mcp-name': `${LONG}y` } }],
  ])('is short, however long the name of %s is', async (_, method, params, options) => {
    const { url } = await serve(bistro());
    const { error } = await new ModernClient(url).request(method, params, options);
    expect(error?.message).toMatch(/^.{5,250}$/);
  });
});

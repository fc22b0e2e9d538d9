import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/index.js';
import { pair } from '../client-faults/connected.js';
import { type Ask, MODERN, modern } from '../client-faults/raw-server.js';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** A server that answers every method with the least that is valid. */
const ANSWERS: Record<string, (ask: Ask) => void> = {
  'tools/list': ask => ask.result({ tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }),
  'prompts/list': ask => ask.result({ prompts: [] }),
  'resources/list': ask => ask.result({ resources: [] }),
  'resources/templates/list': ask => ask.result({ resourceTemplates: [] }),
  'tools/call': ask => ask.text('done'),
  'prompts/get': ask => ask.result({ messages: [] }),
  'resources/read': ask => ask.result({ contents: [] }),
  'completion/complete': ask => ask.result({ completion: { values: [] } }),
};
const DISCOVERY = {
  supportedVersions: [MODERN],
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
};
const server = modern({ ...ANSWERS, 'server/discover': ask => ask.result(DISCOVERY) });

/** Every way to send a request. */
async function sendAll(client: Client): Promise<void> {
  await Promise.all([client.tools(), client.prompts(), client.resources(), client.resourceTemplates()]);
  await Promise.all([client.callTool('greet'), client.callTool('greet'), client.getPrompt('welcome')]);
  await client.readResource('note://a');
  await client.complete({ type: 'ref/prompt', name: 'welcome' }, { name: 'x', value: '' });
  await client.request('tools/call', { name: 'greet' });
  await client.begin('tools/call', { name: 'greet' });
}

describe('a request of a client', () => {
  // covers: 2026-07-28/basic/request-id-is-not-used-twice, 2026-07-28/basic/request-id-is-text-or-integer
  // covers: 2026-07-28/streamable-http/body-is-one-message
  // covers: 2026-07-28/streamable-http/each-message-is-a-post
  it('is a POST with one message, and an id of its own', async () => {
    const { client, server: raw } = await pair(server);
    await sendAll(client);
    expect(raw.asks.length).toBeGreaterThanOrEqual(12);
    for (const { request, message } of raw.asks) {
      expect(request.method).toBe('POST');
      expect(request.headers['content-type']).toBe('application/json');
      expect(message).toMatchObject({
        jsonrpc: '2.0',
        method: expect.any(String),
        params: expect.any(Object),
      });
    }
    const ids = raw.asks.map(({ message }) => message.id);
    for (const id of ids) expect(typeof id === 'string' || Number.isInteger(id)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  // covers: 2026-07-28/basic/client-info-on-every-request, 2026-07-28/basic/request-has-required-meta
  it('says its version, its capabilities and who the client is, each time', async () => {
    const { client, server: raw } = await pair(server, { info: { name: 'visitor', version: '1.2.3' } });
    await sendAll(client);
    for (const { message } of raw.asks) {
      expect(message.params._meta).toMatchObject({
        [VERSION]: MODERN,
        [CLIENT_INFO]: { name: 'visitor', version: '1.2.3' },
        [CAPABILITIES]: {},
      });
    }
  });

  // covers: 2026-07-28/streamable-http/accepts-both-types
  // covers: 2026-07-28/streamable-http/metadata-headers-on-each-post
  // covers: 2026-07-28/streamable-http/standard-headers
  // covers: 2026-07-28/streamable-http/version-header-is-the-envelope
  // covers: 2026-07-28/streamable-http/version-header-on-each-post
  it('has headers that say what its body says, and accepts both kinds of answers', async () => {
    const { client, server: raw } = await pair(server);
    await sendAll(client);
    for (const { request, message } of raw.asks) {
      const target = message.params.name ?? message.params.uri;
      const {
        accept,
        'mcp-protocol-version': version,
        'mcp-method': method,
        'mcp-name': name,
      } = request.headers;
      expect(accept?.split(/, */)).toEqual(expect.arrayContaining(['application/json', 'text/event-stream']));
      expect([version, method, name]).toEqual([message.params._meta[VERSION], message.method, target]);
    }
  });

  // covers: 2026-07-28/streamable-http/markers-are-exact, 2026-07-28/streamable-http/name-is-encoded
  // covers: 2026-07-28/streamable-http/values-like-markers-are-encoded
  it.each([
    ['grüße', '=?base64?Z3LDvMOfZQ==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?BASE64?literal?=', '=?BASE64?literal?='],
    ['plain name', 'plain name'],
  ])('names %j in a header as %s', async (name, header) => {
    const { client, server: raw } = await pair(server);
    await client.callTool(name);
    await client.getPrompt(name);
    await client.readResource(`note://${name}`);
    expect(raw.of('tools/call')[0]!.request.headers['mcp-name']).toBe(header);
    expect(raw.of('prompts/get')[0]!.request.headers['mcp-name']).toBe(header);
    expect(raw.of('resources/read')[0]!.message.params.uri).toBe(`note://${name}`);
  });

  // covers: 2026-07-28/elicitation/capability-is-declared, 2026-07-28/elicitation/one-mode-at-least
  // covers: 2026-07-28/roots/capability-is-declared, 2026-07-28/sampling/capability-is-declared
  // covers: 2026-07-28/sampling/tools-are-declared
  it('declares each time what the client can answer, and nothing else', async () => {
    const declared = async (options: Parameters<typeof pair>[1]) => {
      const { client, server: raw } = await pair(server, options);
      await client.callTool('greet');
      const all = raw.asks.map(({ message }) => JSON.stringify(message.params._meta[CAPABILITIES]));
      expect(new Set(all).size).toBe(1);
      return JSON.parse(all[0]!);
    };
    expect(await declared({})).toEqual({});
    expect(await declared({ onElicit: () => ({ action: 'decline' }) })).toEqual({
      elicitation: { form: {} },
    });
    expect(await declared({ onElicitUrl: () => ({ action: 'decline' }) })).toEqual({
      elicitation: { url: {} },
    });
    expect(await declared({ onSample: () => Promise.reject(new Error('no')) })).toEqual({ sampling: {} });
    expect(await declared({ roots: [] })).toHaveProperty('roots');
    const tools = {
      onSample: () => Promise.reject(new Error('no')),
      capabilities: { sampling: { tools: {} } },
    };
    expect(await declared(tools)).toEqual({ sampling: { tools: {} } });
  });

  // covers: 2026-07-28/progress/token-is-text-or-integer, 2026-07-28/progress/token-is-unique
  it('has a progress token of its own, a text or an integer, if progress is wanted', async () => {
    let release = () => {};
    const all = new Promise<void>(resolve => {
      release = resolve;
    });
    let waiting = 0;
    const { client, server: raw } = await pair(
      modern({
        'tools/call': async ask => {
          if (++waiting === 5) release();
          await all;
          ask.text('done');
        },
      }),
    );
    const calls = Array.from({ length: 5 }, () => client.callTool('work', {}, { onProgress: () => {} }));
    await Promise.all(calls);
    const tokens = raw.of('tools/call').map(({ message }) => message.params._meta.progressToken);
    for (const token of tokens) expect(typeof token === 'string' || Number.isInteger(token)).toBe(true);
    expect(new Set(tokens).size).toBe(5);
  });

  // covers: 2026-07-28/overview/broken-requests-are-sent-anew
  it('that is sent again after its stream broke is a new one, with another id', async () => {
    let broken = false;
    const { client, server: raw } = await pair(
      modern({
        'resources/read': ask => {
          if (broken) return ask.result({ contents: [] });
          broken = true;
          ask.stream().response.destroy();
        },
      }),
    );
    await client.readResource('note://a').catch(() => client.readResource('note://a'));
    const ids = raw.of('resources/read').map(({ message }) => message.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    expect(raw.of('resources/read')[1]!.request.headers['last-event-id']).toBeUndefined();
  });

  // covers: 2026-07-28/mrtr/state-is-for-the-retry-only
  it('that is retried has the state and the answers of its own, and no other request has them', async () => {
    const question = {
      method: 'elicitation/create',
      params: { message: '', requestedSchema: { type: 'object' } },
    };
    const { client, server: raw } = await pair(
      modern({
        ...ANSWERS,
        'tools/call': ask => {
          const { name, requestState } = ask.message.params;
          if (requestState) return ask.text('done');
          ask.result({
            resultType: 'input_required',
            inputRequests: { [name]: question },
            requestState: `of ${name}`,
          });
        },
      }),
      {
        onElicit: async () => {
          await client.tools();
          return { action: 'decline' };
        },
      },
    );
    await Promise.all([client.callTool('a'), client.callTool('b'), client.readResource('note://a')]);
    for (const { method, message } of raw.asks) {
      const { name, requestState, inputResponses } = message.params;
      if (requestState === undefined) expect(inputResponses).toBeUndefined();
      else
        expect([method, requestState, inputResponses]).toEqual([
          'tools/call',
          `of ${name}`,
          { [name]: { action: 'decline' } },
        ]);
    }
    expect(raw.of('tools/call')).toHaveLength(4);
  });

  // covers: 2026-07-28/tools/annotations-are-untrusted
  it('that calls a tool is never repeated by itself, whatever the annotations of the tool say', async () => {
    const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
    const { client, server: raw } = await pair(
      modern({
        'tools/list': ask =>
          ask.result({ tools: [{ name: 'harmless', inputSchema: { type: 'object' }, annotations }] }),
        'tools/call': ask => ask.response.destroy(),
      }),
    );
    await client.tools();
    await expect(client.callTool('harmless')).rejects.toThrow();
    expect(raw.of('tools/call')).toHaveLength(1);
  });
});

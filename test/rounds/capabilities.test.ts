import { describe, expect, it } from 'vitest';
import {
  type ClientCapabilities,
  type Context,
  inputRequired,
  pagesRequired,
  type Server,
} from '../../src/server/index.js';
import { ModernClient } from '../http/modern-client.js';
import { serve, serverWith } from '../http/serve.js';
import { serveAsking, TEXT } from './asking.js';

const SAMPLE = { messages: [], maxTokens: 1 };

/** Every kind of question, the capability that it needs, and capabilities that are not enough. */
const CASES: [string, (ctx: Context) => Promise<unknown>, ClientCapabilities, ClientCapabilities[]][] = [
  [
    'a form',
    ctx => ctx.elicit('?', TEXT),
    { elicitation: { form: {} } },
    [{}, { elicitation: { url: {} } }, { sampling: {}, roots: {} }],
  ],
  [
    'a page',
    ctx => ctx.elicitUrl('?', 'https://example.com'),
    { elicitation: { url: {} } },
    [{}, { elicitation: {} }, { elicitation: { form: {} } }],
  ],
  [
    'a message of the model',
    ctx => ctx.sample(SAMPLE),
    { sampling: {} },
    [{}, { elicitation: {}, roots: {} }],
  ],
  [
    'a message of the model, with tools',
    ctx => ctx.sample({ ...SAMPLE, tools: [] }),
    { sampling: { tools: {} } },
    [{ sampling: {} }, { sampling: { context: {} } }],
  ],
  [
    'a message of the model, after it used tools',
    ctx =>
      ctx.sample({
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'look', input: {} }] },
          { role: 'user', content: { type: 'tool_result', toolUseId: '1', content: [] } },
        ],
        maxTokens: 1,
      }),
    { sampling: { tools: {} } },
    [{ sampling: {} }, { sampling: { context: {} } }],
  ],
  [
    'a message of the model, with context',
    ctx => ctx.sample({ ...SAMPLE, includeContext: 'thisServer' }),
    { sampling: { context: {} } },
    [{ sampling: {} }, { sampling: { tools: {} } }],
  ],
  ['the roots', ctx => ctx.roots(), { roots: {} }, [{}, { elicitation: {}, sampling: {} }]],
];

/** A tool, a prompt and a resource that ask the same. */
function askEverywhere(ask: (ctx: Context) => Promise<unknown>): (server: Server) => void {
  return server => {
    server.tool('t', {}, async (_args, ctx) => JSON.stringify(await ask(ctx)));
    server.prompt('p', {}, async (_args, ctx) => JSON.stringify(await ask(ctx)));
    server.resource('r://x', {}, async (_variables, ctx) => JSON.stringify(await ask(ctx)));
  };
}

const REQUESTS: [string, object][] = [
  ['tools/call', { name: 't', arguments: {} }],
  ['prompts/get', { name: 'p', arguments: {} }],
  ['resources/read', { uri: 'r://x' }],
];

// covers: 2026-07-28/basic/undeclared-capabilities-are-not-used
// covers: 2026-07-28/elicitation/only-supported-modes, 2026-07-28/mrtr/only-declared-questions
// covers: 2026-07-28/roots/server-checks-the-capability
// covers: 2026-07-28/sampling/no-context-without-the-capability
// covers: 2026-07-28/sampling/no-tools-without-the-capability
describe('a question whose capability was not declared is never sent', () => {
  // covers: 2026-07-28/basic/missing-capability-is-400, 2026-07-28/basic/missing-capability-is-an-error
  it.each(CASES)('%s', async (_, ask, requiredCapabilities, insufficient) => {
    const { url } = await serve(serverWith(askEverywhere(ask)));
    for (const capabilities of insufficient) {
      for (const [method, params] of REQUESTS) {
        const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
        const { status, error, result } = await new ModernClient(url).request(method, params, { meta });
        expect(result).toBeUndefined();
        expect({ status, code: error?.code, data: error?.data }).toEqual({
          status: 400,
          code: -32021,
          data: { requiredCapabilities },
        });
      }
    }
  });

  it.each(CASES)('but with it, it is: %s', async (_, ask, capabilities) => {
    const { url } = await serve(serverWith(askEverywhere(ask)));
    for (const [method, params] of REQUESTS) {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
      const { status, result } = await new ModernClient(url).request(method, params, { meta });
      expect({ status, type: result.resultType }).toEqual({ status: 200, type: 'input_required' });
    }
  });

  it('and with it nothing else of the same turn is sent', async () => {
    const capabilities = { elicitation: {} };
    const { call } = await serveAsking(ctx => Promise.all([ctx.elicit('form', TEXT), ctx.roots()]), {
      capabilities,
    });
    expect((await call()).error?.code).toBe(-32021);
  });

  it('by hand neither', async () => {
    const { call } = await serveAsking(
      () => inputRequired({ requests: { roots: { method: 'roots/list' } } }),
      { capabilities: { elicitation: {} } },
    );
    expect((await call()).error).toEqual({
      code: -32021,
      message: 'the list of roots needs the client capability "roots", which this client did not declare',
      data: { requiredCapabilities: { roots: {} } },
    });
  });

  it('nor pages that an error names', async () => {
    const { call } = await serveAsking(
      () => {
        throw pagesRequired([{ message: 'Sign in', url: 'https://example.com' }]);
      },
      { capabilities: { elicitation: { form: {} } } },
    );
    expect((await call()).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    });
  });

  // covers: 2026-07-28/basic/no-context-from-earlier-requests
  // covers: 2026-07-28/basic/undeclared-capabilities-are-not-used
  it('is what the round declares, not the one before', async () => {
    const { url } = await serve(serverWith(askEverywhere(ctx => ctx.elicit('?', TEXT))));
    const client = new ModernClient(url);
    const ask = (capabilities: object, extra: object = {}) =>
      client.request(
        'tools/call',
        { name: 't', arguments: {}, ...extra },
        { meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities } },
      );
    const { requestState } = (await ask({ elicitation: {} })).result;
    expect((await ask({}, { requestState })).error?.code).toBe(-32021);
    expect((await ask({ elicitation: {} }, { requestState })).result.resultType).toBe('input_required');
  });
});

describe('on the handshake revisions the client is not asked either', () => {
  it.each(CASES.slice(0, 3))('%s', async (_, ask) => {
    const { client, call } = await serveAsking(async ctx => JSON.stringify(await ask(ctx)), {
      add: askEverywhere(ask),
      revision: '2025-11-25',
      capabilities: {},
    });
    const { result } = await call();
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('which this client did not declare') }],
    });
    await expect(client.request('prompts/get', { name: 'p' })).rejects.toMatchObject({ code: -32603 });
    await expect(client.request('resources/read', { uri: 'r://x' })).rejects.toMatchObject({ code: -32603 });
  });
});

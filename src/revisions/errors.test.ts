import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectRaw, type RawClient } from '../../test/raw-client.js';
import type { JsonObject } from '../base/json.js';
import { ERROR, pagesRequired, resourceNotFound } from '../protocol/errors.js';
import { META } from '../protocol/meta.js';
import { Server } from '../server/server.js';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const MODERN = '2026-07-28';

function createServer(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  const form = z.object({ guests: z.number() });
  const input = z.object({ guests: z.number().min(1, 'at least one guest') });
  server.tool('reserve', { input }, ({ guests }) => `A table for ${guests}`);
  server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('How many?', form)).action);
  server.prompt('order', { input: z.object({ dish: z.string() }) }, ({ dish }) => dish);
  server.prompt('ask', {}, async (_, ctx) => (await ctx.elicit('How many?', form)).action);
  server.resource('menu://{day}', {}, ({ day }, ctx) => {
    if (day !== 'today') throw resourceNotFound(ctx.uri);
    return 'Soup';
  });
  server.resource('ask://guests', {}, async (_, ctx) => (await ctx.elicit('How many?', form)).action);
  return server;
}

describe.each(REVISIONS)('revision %s', revision => {
  let client: RawClient;
  const isModern = revision === MODERN;

  beforeAll(async () => {
    client = await connectRaw(createServer(), { revision });
  });

  function failure(method: string, params?: JsonObject): Promise<unknown> {
    return client.request(method, params).then(
      result => ({ unexpected: result }),
      error => error,
    );
  }

  // covers: 2025-06-18/prompts/unknown-name-is-invalid-params
  // covers: 2025-06-18/schema/unknown-tool-is-a-protocol-error
  // covers: 2026-07-28/prompts/errors-have-standard-codes
  it.each([
    ['tool', 'tools/call'],
    ['prompt', 'prompts/get'],
  ])('refuses an unknown %s with -32602 that names it', async (kind, method) => {
    expect(await failure(method, { name: 'nope' })).toMatchObject({
      code: ERROR.invalidParams,
      message: `unknown ${kind}: nope`,
    });
    // Without a name in the body there is none in the headers either.
    const code = isModern ? ERROR.headerMismatch : ERROR.invalidParams;
    expect(await failure(method, { name: 5 })).toMatchObject({ code });
    expect(await failure(method, {})).toMatchObject({ code });
  });

  // covers: 2025-06-18/resources/not-found-is-32002
  // covers: 2026-07-28/basic/no-codes-of-earlier-revisions, 2026-07-28/resources/no-empty-contents
  // covers: 2026-07-28/resources/unknown-resource-is-32602
  it.each(['menu://tomorrow', 'nope://x'])('has no resource %s, and says so in its own code', async uri => {
    expect(await failure('resources/read', { uri })).toMatchObject({
      code: isModern ? ERROR.invalidParams : ERROR.resourceNotFound,
      message: `resource not found: ${uri}`,
      data: { uri },
    });
  });

  // covers: 2026-07-28/resources/uris-are-validated
  it('refuses to read something that is not named by a URI', async () => {
    const code = isModern ? ERROR.headerMismatch : ERROR.invalidParams;
    expect(await failure('resources/read', {})).toMatchObject({ code });
    expect(await failure('resources/read', { uri: 'menu' })).toMatchObject({ code: ERROR.invalidParams });
  });

  it('does not know an unknown method', async () => {
    expect(await failure('no/such/method')).toMatchObject({
      code: ERROR.methodNotFound,
      message: 'method not found: no/such/method',
    });
  });

  it('does not know the methods of the other era', async () => {
    const others = isModern
      ? ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']
      : ['tasks/list', 'roots/list', 'elicitation/create'];
    for (const method of others) {
      expect(await failure(method, { uri: 'menu://today', level: 'info' }), method).toMatchObject({
        code: ERROR.methodNotFound,
      });
    }
  });

  // covers: 2025-06-18/pagination/invalid-cursor-is-invalid-params
  // covers: 2025-06-18/pagination/invalid-cursors-are-handled
  // covers: 2026-07-28/pagination/invalid-cursor-is-32602
  it.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'refuses a cursor of %s that it did not give out',
    async method => {
      for (const cursor of ['', 'garbage', '%%%', btoa('dish 1'), 5, null, {}]) {
        expect(await failure(method, { cursor }), String(cursor)).toMatchObject({
          code: ERROR.invalidParams,
        });
      }
    },
  );

  // covers: 2025-06-18/logging/unknown-level-is-invalid-params
  // covers: 2026-07-28/logging/unknown-level-is-refused
  it('refuses an unknown log level with -32602', async () => {
    const asked = isModern
      ? failure('tools/list', { _meta: { [META.logLevel]: 'loud' } })
      : failure('logging/setLevel', { level: 'loud' });
    expect(await asked).toMatchObject({ code: ERROR.invalidParams });
  });

  // covers: 2025-06-18/tools/inputs-are-validated
  // covers: 2026-07-28/tools/inputs-are-validated
  it('answers invalid arguments of a tool to the model from 2025-11-25 on, and with -32602 before', async () => {
    const message = 'invalid arguments for tool "reserve": guests: at least one guest';
    const call = client.request('tools/call', { name: 'reserve', arguments: { guests: 0 } });
    if (revision >= '2025-11-25') {
      expect(await call).toMatchObject({ isError: true, content: [{ type: 'text', text: message }] });
    } else {
      await expect(call).rejects.toMatchObject({ code: ERROR.invalidParams, message });
    }
  });

  // covers: 2026-07-28/tools/inputs-are-validated
  it('refuses arguments of a tool that are not an object with -32602', async () => {
    for (const args of [[], 'x', 5]) {
      const refused = await failure('tools/call', { name: 'reserve', arguments: args });
      expect(refused).toMatchObject({ code: ERROR.invalidParams });
    }
  });

  // covers: 2025-06-18/prompts/missing-argument-is-invalid-params, 2025-06-18/prompts/arguments-are-validated
  // covers: 2025-06-18/prompts/inputs-and-outputs-are-validated
  // covers: 2026-07-28/prompts/arguments-are-validated, 2026-07-28/prompts/errors-have-standard-codes
  // covers: 2026-07-28/prompts/inputs-and-outputs-are-validated
  it('refuses invalid arguments of a prompt with -32602', async () => {
    for (const args of [{}, { dish: 5 }, [], 'x']) {
      const refused = await failure('prompts/get', { name: 'order', arguments: args });
      expect(refused).toMatchObject({ code: ERROR.invalidParams });
    }
  });

  // covers: 2025-06-18/lifecycle/missing-capabilities-are-handled
  // covers: 2026-07-28/basic/missing-capability-is-an-error
  it('says which capability a client lacks: as an error of the protocol, or where it has none to the model', async () => {
    const call = client.request('tools/call', { name: 'ask' });
    const needs = expect.stringContaining(
      isModern || revision >= '2025-06-18' ? '"elicitation.form"' : 'elicitation',
    );
    if (isModern) {
      await expect(call).rejects.toMatchObject({
        code: ERROR.missingCapability,
        message: needs,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    } else {
      expect(await call).toMatchObject({ isError: true, content: [{ type: 'text', text: needs }] });
    }
  });

  it.each([
    ['prompts/get', { name: 'ask' }],
    ['resources/read', { uri: 'ask://guests' }],
  ])('says which capability a client lacks for %s', async (method, params) => {
    expect(await failure(method, params)).toMatchObject({
      code: isModern ? ERROR.missingCapability : ERROR.internal,
      message: expect.stringContaining('elicitation'),
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });
});

describe('a client that declares more than its revision has', () => {
  it.each(['2024-11-05', '2025-03-26'])('is told that %s has no questions to the user', async revision => {
    const capabilities = { elicitation: {} };
    const client = await connectRaw(createServer(), { revision, capabilities });
    const text = `revision ${revision}, which this client speaks, has no elicitation/create`;
    expect(await client.request('tools/call', { name: 'ask' })).toMatchObject({
      isError: true,
      content: [{ text }],
    });
    await expect(client.request('prompts/get', { name: 'ask' })).rejects.toMatchObject({
      code: ERROR.internal,
      message: text,
    });
  });
});

describe('a tool that needs the user to visit a page first', () => {
  const page = { message: 'Please sign in', url: 'https://example.com/' };

  async function call(revision: string, capabilities = { elicitation: { url: {} } }): Promise<JsonObject> {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('pay', {}, () => {
      throw pagesRequired([page]);
    });
    return (await connectRaw(server, { revision, capabilities })).request('tools/call', { name: 'pay' });
  }

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('tells the model on %s', async revision => {
    expect(await call(revision)).toMatchObject({
      isError: true,
      content: [
        { text: expect.stringMatching(/visit a page, and then to try again: Please sign in: https:.*\/$/) },
      ],
    });
  });

  // covers: 2025-11-25/elicitation/required-error-has-urls-with-ids
  // covers: 2025-11-25/elicitation/required-error-is-standard
  // covers: 2025-11-25/elicitation/required-error-lists-elicitations
  it('has an error of its own on 2025-11-25', async () => {
    await expect(call('2025-11-25')).rejects.toMatchObject({
      code: ERROR.urlElicitationRequired,
      data: { elicitations: [{ mode: 'url', ...page, elicitationId: expect.any(String) }] },
    });
  });

  // covers: 2026-07-28/basic/no-codes-of-earlier-revisions
  it('asks on the newest revision', async () => {
    const { resultType, inputRequests } = await call(MODERN);
    expect(resultType).toBe('input_required');
    expect(Object.values(inputRequests as object)).toEqual([
      { method: 'elicitation/create', params: { mode: 'url', ...page } },
    ]);
  });

  it('does not ask a client of the newest revision that opens no pages', async () => {
    await expect(call(MODERN, { elicitation: {} } as never)).rejects.toMatchObject({
      code: ERROR.missingCapability,
    });
  });
});

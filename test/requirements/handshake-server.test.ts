import { request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { McpError, Server, type ServerOptions } from '../../src/server/index.js';
import { createGate } from '../http/gate.js';
import { initializeRequest, LegacyClient } from '../http/legacy-client.js';
import { postJson, readAnswer } from '../http/send.js';
import { serve, serverWith } from '../http/serve.js';

const REVISION = '2025-06-18';
/** The longest time that a timer can take. */
const LONGEST = 2 ** 31 - 1;
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };

/** A client of this revision, and the server that it talks to. */
async function open(add: (server: Server) => void, options: ServerOptions = {}) {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {}, ...options });
  add(server);
  const { url } = await serve(server);
  return {
    server,
    url,
    client: await LegacyClient.open(url, { revision: REVISION, capabilities: CAPABILITIES }),
  };
}

describe('a server of 2025-06-18 declares', () => {
  async function declared(add: (server: Server) => void): Promise<any> {
    return (await open(add)).client.initialized.result.capabilities;
  }

  // covers: 2025-06-18/tools/capability-is-declared
  test('tools if it has any, and that it tells of changes', async () => {
    const capabilities = await declared(server => server.tool('soup', {}, () => 'Soup'));
    expect(capabilities.tools).toEqual({ listChanged: true });
    expect(capabilities).not.toHaveProperty('prompts');
    expect(capabilities).not.toHaveProperty('resources');
  });

  // covers: 2025-06-18/prompts/capability-is-declared
  test('prompts if it has any', async () => {
    const capabilities = await declared(server => server.prompt('order', {}, () => 'Soup'));
    expect(capabilities.prompts).toEqual({ listChanged: true });
    expect(capabilities).not.toHaveProperty('tools');
  });

  // covers: 2025-06-18/resources/capability-is-declared
  test('resources if it has any', async () => {
    for (const uri of ['menu://today', 'menu://{day}']) {
      const capabilities = await declared(server => server.resource(uri, {}, () => 'Soup'));
      expect(capabilities.resources).toEqual({ subscribe: true, listChanged: true });
    }
  });

  // covers: 2025-06-18/completion/capability-is-declared
  test('completions if it completes something', async () => {
    const input = z.object({ dish: z.string() });
    expect(await declared(server => server.prompt('order', { input }, () => ''))).not.toHaveProperty(
      'completions',
    );
    const complete = { dish: ['soup'] };
    const capabilities = await declared(server => server.prompt('order', { input, complete }, () => ''));
    expect(capabilities.completions).toEqual({});
  });

  // covers: 2025-06-18/logging/capability-is-declared
  test('logging, since its handlers may log', async () => {
    const { client } = await open(server => {
      server.tool('log', {}, (_args, ctx) => ctx.log.error('broken'));
    });
    expect(client.initialized.result.capabilities.logging).toEqual({});
    expect((await client.call('log')).messages[0]).toMatchObject({ method: 'notifications/message' });
  });
});

describe('a server of 2025-06-18 serves only what it declared', () => {
  // covers: 2025-06-18/prompts/capabilities-are-respected, 2025-06-18/completion/unsupported-is-method-not-found
  test('and answers the methods of everything else with -32601', async () => {
    const { client } = await open(server => server.tool('soup', {}, () => 'Soup'));
    const ref = { type: 'ref/prompt', name: 'order' };
    for (const [method, params] of [
      ['prompts/list', {}],
      ['prompts/get', { name: 'order' }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'menu://today' }],
      ['resources/subscribe', { uri: 'menu://today' }],
      ['completion/complete', { ref, argument: { name: 'dish', value: '' } }],
    ] as const) {
      expect((await client.request(method, params)).error?.code, method).toBe(-32601);
    }
  });
});

describe('a server of an older revision', () => {
  // covers: 2025-06-18/lifecycle/server-uses-only-negotiated-capabilities
  // covers: 2025-03-26/lifecycle/server-uses-only-negotiated-capabilities
  // covers: 2024-11-05/lifecycle/server-uses-only-negotiated-capabilities
  test.for(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'asks, tells and serves on %s only what was negotiated',
    async revision => {
      const server = serverWith(server => {
        server.tool('look', {}, async (_args, ctx) => `${(await ctx.roots()).length} roots`);
        server.tool('think', {}, async (_args, ctx) => {
          const content = { type: 'text' as const, text: 'Think!' };
          return JSON.stringify(await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 10 }));
        });
      });
      const { url } = await serve(server);
      const client = await LegacyClient.open(url, { revision, capabilities: {} });
      const notices = await client.notices();
      for (const tool of ['look', 'think']) {
        expect((await client.call(tool)).messages).toMatchObject([{ result: { isError: true } }]);
      }
      expect((await client.request('prompts/list')).error?.code).toBe(-32601);
      expect((await client.request('resources/subscribe', { uri: 'menu://today' })).error?.code).toBe(-32601);
      // The session was not told of prompts and resources, but of tools.
      server.prompt('order', {}, () => 'Soup');
      server.resource('menu://today', {}, () => 'Soup').changed();
      server.tool('new', {}, () => 'new');
      expect((await notices.message()).method).toBe('notifications/tools/list_changed');
      await client.delete();
      expect(await notices.rest()).toEqual([]);
    },
  );
});

describe('the methods of a completion on 2025-06-18', () => {
  const MANY = Array.from({ length: 250 }, (_, at) => `dish ${at}`);
  const argument = { name: 'dish', value: '' };
  const ref = { type: 'ref/prompt', name: 'order' };

  function bistro(server: Server): void {
    const input = z.object({ dish: z.string(), broken: z.string() });
    const broken = () => {
      throw new Error('the password is 1234');
    };
    server.prompt('order', { input, complete: { dish: MANY, broken } }, () => '');
  }

  // covers: 2025-06-18/completion/at-most-100-values
  test('answer with at most a hundred values', async () => {
    const { client } = await open(bistro);
    const { result } = await client.request('completion/complete', { ref, argument });
    expect(result.completion).toEqual({ values: MANY.slice(0, 100), total: 250, hasMore: true });
  });

  // covers: 2025-06-18/completion/unknown-prompt-is-invalid-params
  // covers: 2025-06-18/completion/missing-arguments-are-invalid-params
  // covers: 2025-06-18/completion/inputs-are-validated, 2025-06-18/completion/inputs-must-be-validated
  test('refuse what is unknown, missing or malformed with -32602', async () => {
    const { client } = await open(bistro);
    for (const params of [
      { ref: { type: 'ref/prompt', name: 'nope' }, argument },
      { ref: { type: 'ref/resource', uri: 'nope://{x}' }, argument },
      { ref: { type: 'ref/tool', name: 'order' }, argument },
      { argument },
      { ref },
      { ref, argument: { name: 'dish' } },
      { ref, argument: { value: '' } },
      { ref, argument: { name: 'dish', value: 7 } },
    ]) {
      const { error } = await client.request('completion/complete', params);
      expect(error?.code, JSON.stringify(params)).toBe(-32602);
    }
  });

  // covers: 2025-06-18/completion/internal-error
  test('answer with -32603 if the completer fails, and do not tell why', async () => {
    const { client } = await open(bistro);
    const { error } = await client.request('completion/complete', {
      ref,
      argument: { name: 'broken', value: '' },
    });
    expect(error).toMatchObject({ code: -32603 });
    expect(JSON.stringify(error)).not.toContain('1234');
  });
});

describe('a question of a server of 2025-06-18', () => {
  // covers: 2025-06-18/lifecycle/server-requests-time-out, 2025-06-18/lifecycle/server-timeout-cancels
  // covers: 2025-06-18/lifecycle/timeouts-are-set-per-request
  // covers: 2025-06-18/cancellation/server-cancels-only-its-own-requests
  test('that is not answered in its time is cancelled by its id, and a late answer is ignored', async () => {
    const { client } = await open(server => {
      server.tool('look', {}, async (_args, ctx) => {
        const roots = await ctx.roots({ timeoutMs: 20 }).catch(({ name }: Error) => name);
        return JSON.stringify(roots);
      });
    });
    const stream = await client.stream('look', {}, { id: 'call' });
    const question = await stream.message();
    const [cancelled, result] = await stream.rest();
    expect(cancelled).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question.id },
    });
    expect(result).toMatchObject({ id: 'call', result: { content: [{ text: '"AnswerTimeout"' }] } });
    await client.answer(question.id!, { roots: [] });
    expect((await client.request('ping')).result).toEqual({});
  });
});

describe('a form that a server of 2025-06-18 asks for', () => {
  // covers: 2025-06-18/elicitation/schema-is-flat
  test('is a flat object of primitive fields, or is not asked for', async () => {
    const flat = z.object({
      name: z.string().min(1),
      mail: z.email(),
      guests: z.number().int().min(1).max(8),
      smoking: z.boolean(),
      room: z.enum(['inside', 'outside']),
    });
    const { client } = await open(server => {
      server.tool('flat', {}, async (_args, ctx) => (await ctx.elicit('?', flat)).action);
      for (const [name, schema] of Object.entries({
        nested: z.object({ a: z.object({ b: z.string() }) }),
        list: z.object({ a: z.array(z.object({ b: z.string() })) }),
        text: z.string(),
      })) {
        server.tool(name, {}, async (_args, ctx) => (await ctx.elicit('?', schema as never)).action);
      }
    });
    const stream = await client.stream('flat');
    const { id, params } = await stream.message();
    expect(Object.keys(params).sort()).toEqual(expect.arrayContaining(['message', 'requestedSchema']));
    expect(params.requestedSchema.type).toBe('object');
    for (const field of Object.values<any>(params.requestedSchema.properties)) {
      expect(['string', 'number', 'integer', 'boolean']).toContain(field.type);
    }
    await client.answer(id!, { action: 'decline' });
    await stream.rest();
    for (const tool of ['nested', 'list', 'text']) {
      const { messages } = await client.call(tool);
      expect(messages).toMatchObject([{ result: { isError: true } }]);
    }
  });

  // covers: 2025-06-18/elicitation/server-validates-content
  test('has its answer checked before the handler gets it', async () => {
    const form = z.object({ guests: z.number().int().min(1) });
    const got: unknown[] = [];
    const { client } = await open(server => {
      server.tool('reserve', {}, async (_args, ctx) => {
        got.push(await ctx.elicit('How many?', form));
      });
    });
    const stream = await client.stream('reserve');
    for (const guests of [0, 2]) {
      const { id } = await stream.message();
      await client.answer(id!, { action: 'accept', content: { guests } });
    }
    await stream.rest();
    expect(got).toEqual([{ action: 'accept', content: { guests: 2 } }]);
  });
});

describe('an answer of a model on 2025-06-18', () => {
  // covers: 2025-06-18/sampling/server-validates-messages
  test('does not reach the handler if it is no message', async () => {
    const got: unknown[] = [];
    const { client } = await open(server => {
      server.tool('think', {}, async (_args, ctx) => {
        const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Think!' } }];
        got.push(await ctx.sample({ messages, maxTokens: 10 }));
      });
    });
    for (const answer of [{}, { role: 'assistant', model: 'm' }, { model: 'm', content: 'hm' }]) {
      const stream = await client.stream('think');
      const { id } = await stream.message();
      await client.answer(id!, answer);
      const last = (await stream.rest()).at(-1);
      expect(last?.error ?? last?.result.isError, JSON.stringify(answer)).toBeTruthy();
    }
    expect(got).toEqual([]);
  });
});

describe('a change of the roots on 2025-06-18', () => {
  // covers: 2025-06-18/roots/server-handles-changes
  test('reaches the handler of the author, whose next question gets the new ones', async () => {
    const { client } = await open(server => {
      server.notification('notifications/roots/list_changed', (_params, { session }) => {
        session?.values.set('changes', ((session.values.get('changes') as number) ?? 0) + 1);
      });
      server.tool('look', {}, async (_args, ctx) => {
        const roots = await ctx.roots();
        return `${ctx.session?.values.get('changes')} ${roots.map(({ uri }) => uri)}`;
      });
    });
    await client.notify('notifications/roots/list_changed');
    const stream = await client.stream('look');
    const { id } = await stream.message();
    await client.answer(id!, { roots: [{ uri: 'file:///new' }] });
    expect((await stream.message()).result.content[0].text).toBe('1 file:///new');
  });
});

describe('a list of 2025-06-18 in pages', () => {
  // covers: 2025-06-18/pagination/cursors-are-stable, 2025-06-18/schema/cursor-continues-the-list
  test('goes on after its cursor, however often that is used and whatever changes meanwhile', async () => {
    const { server, client } = await open(
      server => {
        for (let n = 0; n < 8; n++) server.resource(`menu://${n}`, {}, () => `${n}`);
      },
      { pageSize: 3 },
    );
    const page = async (cursor?: string) => {
      const { result } = await client.request('resources/list', cursor === undefined ? {} : { cursor });
      return { uris: result.resources.map(({ uri }: { uri: string }) => uri), next: result.nextCursor };
    };
    const first = await page();
    const second = await page(first.next);
    expect(new Set([...first.uris, ...second.uris]).size).toBe(first.uris.length + second.uris.length);
    server.resource('menu://new', {}, () => 'new');
    expect((await page(first.next)).uris).toEqual(second.uris);
    const rest: string[] = [];
    for (let at = second; at.next !== undefined; ) {
      at = await page(at.next);
      rest.push(...at.uris);
    }
    expect([...first.uris, ...second.uris, ...rest]).toEqual([
      ...Array.from({ length: 8 }, (_, n) => `menu://${n}`),
      'menu://new',
    ]);
  });
});

describe('a prompt of 2025-06-18', () => {
  test('brings images, sounds and resources with their type, in base64', async () => {
    const data = Buffer.from([0, 1, 254, 255]).toString('base64');
    const { client } = await open(server => {
      server.prompt('show', {}, () => [
        { type: 'image', data, mimeType: 'image/png' },
        { type: 'audio', data, mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'menu://today', mimeType: 'text/plain', text: 'Soup' } },
        { type: 'resource', resource: { uri: 'menu://photo', mimeType: 'image/png', blob: data } },
      ]);
    });
    const { result } = await client.request('prompts/get', { name: 'show' });
    const [image, audio, text, blob] = result.messages.map(({ content }: any) => content);
    expect(image).toEqual({ type: 'image', data, mimeType: 'image/png' });
    expect(audio).toEqual({ type: 'audio', data, mimeType: 'audio/wav' });
    expect(text.resource).toEqual({ uri: 'menu://today', mimeType: 'text/plain', text: 'Soup' });
    expect(blob.resource).toEqual({ uri: 'menu://photo', mimeType: 'image/png', blob: data });
  });

  // covers: 2025-06-18/prompts/internal-error, 2025-06-18/schema/error-message-is-one-sentence
  test('that fails is answered with -32603, in one line that does not tell why', async () => {
    const { client } = await open(server => {
      server.prompt('broken', {}, () => {
        throw new Error('the password is 1234\n    at somewhere');
      });
    });
    const { error } = await client.request('prompts/get', { name: 'broken' });
    expect(error).toEqual({ code: -32603, message: expect.stringMatching(/^[^\n]{1,80}$/) });
    expect(error?.message).not.toContain('1234');
  });
});

describe('a resource of 2025-06-18', () => {
  // covers: 2025-06-18/resources/binary-data-is-encoded
  test('that is bytes is sent in base64', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n);
    const { client } = await open(server => server.resource('photo://1', {}, () => bytes));
    const { result } = await client.request('resources/read', { uri: 'photo://1' });
    expect(Buffer.from(result.contents[0].blob, 'base64')).toEqual(Buffer.from(bytes));
    expect(result.contents[0]).not.toHaveProperty('text');
  });

  // covers: 2025-06-18/resources/internal-error
  test('that fails is answered with -32603', async () => {
    const { client } = await open(server => {
      server.resource('menu://today', {}, () => {
        throw new Error('the password is 1234');
      });
    });
    const { error } = await client.request('resources/read', { uri: 'menu://today' });
    expect(error?.code).toBe(-32603);
    expect(JSON.stringify(error)).not.toContain('1234');
  });

  // covers: 2025-06-18/resources/uris-are-validated
  test('is read only by a valid URI that does not leave its template', async () => {
    const read: unknown[] = [];
    const { client } = await open(server => {
      server.resource('file:///{name}', {}, ({ name }) => {
        read.push(name);
        return name;
      });
    });
    for (const uri of ['file:///..%2Fsecret', 'file:///..', 'file:///a%00b', 'no uri', '', 7, null]) {
      expect((await client.request('resources/read', { uri })).error, String(uri)).toBeDefined();
    }
    expect(read).toEqual([]);
  });

  // covers: 2025-06-18/resources/custom-schemes-follow-rfc-3986
  test('has a URI of a scheme that RFC 3986 allows, or cannot be registered', () => {
    serverWith(server => {
      for (const uri of ['a:b', 'x-menu+v1.2://today', 'urn:isbn:1']) server.resource(uri, {}, () => '');
      for (const uri of ['menu', '1menu://x', 'me nu://x', 'me_nu://x', '://x', '/menu']) {
        expect(() => server.resource(uri, {}, () => ''), uri).toThrow('is not a URI');
      }
    });
  });
});

describe('a tool of 2025-06-18', () => {
  const output = z.object({ celsius: z.number() });

  // covers: 2025-06-18/tools/structured-content-is-also-text
  test('returns structured content as JSON text, too', async () => {
    const { client } = await open(server => server.tool('weather', { output }, () => ({ celsius: 21 })));
    const { result } = await client.call('weather');
    expect(result.structuredContent).toEqual({ celsius: 21 });
    expect(result.content.map(({ text }: { text: string }) => JSON.parse(text))).toEqual([{ celsius: 21 }]);
  });

  // covers: 2025-06-18/tools/server-conforms-to-the-output-schema
  test('never returns structured content that does not fit its output schema', async () => {
    const { client } = await open(server => {
      server.tool('weather', { output }, () => ({ celsius: 'warm' }) as never);
    });
    const { result } = await client.call('weather');
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty('structuredContent');
  });

  // covers: 2025-06-18/schema/tool-errors-are-in-the-result, 2025-06-18/tools/outputs-are-sanitized
  test('that fails says so in its result, and keeps the reason of unexpected errors to itself', async () => {
    const { client } = await open(server => {
      server.tool('full', {}, (_args, ctx) => ctx.error('No table is free.'));
      server.tool('broken', {}, () => {
        throw new Error('the password is 1234');
      });
    });
    expect((await client.call('full')).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'No table is free.' }],
    });
    const { result } = await client.call('broken');
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).not.toContain('1234');
  });

  // covers: 2025-06-18/tools/invocations-are-limited, 2025-06-18/completion/server-limits-the-rate
  // covers: 2025-06-18/completion/rate-must-be-limited
  test('and a completion can be limited by middleware, which knows the session and refuses before they run', async () => {
    let ran = 0;
    const { url, client } = await open(server => {
      server.use((call, next) => {
        if (!['tools/call', 'completion/complete'].includes(call.method)) return next();
        const used = (call.session?.values.get('used') as number | undefined) ?? 0;
        if (used === 2) throw new McpError(-32000, 'too many calls; try again in a minute');
        call.session?.values.set('used', used + 1);
        return next();
      });
      server.tool('soup', {}, () => `${++ran}`);
      server.resource('menu://{day}', { complete: { day: () => [`${++ran}`] } }, () => '');
    });
    const complete = () =>
      client.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'menu://{day}' },
        argument: { name: 'day', value: '' },
      });
    expect((await client.call('soup')).error).toBeUndefined();
    expect((await complete()).error).toBeUndefined();
    expect((await client.call('soup')).error?.message).toContain('try again');
    expect((await complete()).error?.message).toContain('try again');
    expect(ran).toBe(2);
    const other = await LegacyClient.open(url, { revision: REVISION });
    expect((await other.call('soup')).error).toBeUndefined();
  });
});

describe('a handler of 2025-06-18 that logs', () => {
  // covers: 2025-06-18/logging/access-is-controlled
  test('is heard by the session that called it, and by no other', async () => {
    const { url, client } = await open(server => {
      server.tool('log', {}, (_args, ctx) => ctx.log.error('mine'));
    });
    const other = await LegacyClient.open(url, { revision: REVISION });
    const notices = await other.notices();
    expect((await client.call('log')).messages[0]?.params.data).toBe('mine');
    await other.delete();
    expect(await notices.rest()).toEqual([]);
  });

  // covers: 2025-06-18/logging/no-internal-details
  test('is the only one who logs: what fails inside is not told to the client', async () => {
    const { client } = await open(server => {
      server.tool('broken', {}, () => {
        throw new Error('the password is 1234');
      });
    });
    await client.request('logging/setLevel', { level: 'debug' });
    expect((await client.call('broken')).messages).toHaveLength(1);
  });
});

describe('reserved keys in `_meta` on 2025-06-18', () => {
  // covers: 2025-06-18/basic/meta-reserved-values-are-not-assumed
  test('may have any value', async () => {
    const { client } = await open(server => server.tool('soup', {}, () => 'Soup'));
    for (const value of [null, 7, 'text', [], {}, { a: { b: 1 } }]) {
      const meta = { 'modelcontextprotocol.io/key': value, 'mcp.dev/key': value, 'tools.mcp.com/': value };
      const { result } = await client.call('soup', {}, meta);
      expect(result?.content, JSON.stringify(value)).toEqual([{ type: 'text', text: 'Soup' }]);
    }
  });
});

describe('a server of 2025-06-18 that is not ready', () => {
  // covers: 2025-06-18/lifecycle/server-asks-nothing-before-initialized
  test('asks nothing before the client has said that it is initialized', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('look', {}, async (_args, ctx) => {
          ctx.log.info('looking');
          return `${(await ctx.roots()).length} roots`;
        });
      }),
    );
    const opened = await readAnswer(await postJson(url, initializeRequest({ capabilities: CAPABILITIES })));
    const session = opened.headers.get('mcp-session-id')!;
    const client = new LegacyClient(url, { revision: REVISION, session, initialized: opened });
    const stream = await client.stream('look', {}, { id: 'call' });
    expect((await stream.message()).params.data).toBe('looking');
    const question = stream.message();
    expect((await client.request('ping')).result).toEqual({});
    expect(stream.events).toHaveLength(1);
    await client.notify('notifications/initialized');
    const { id, method } = await question;
    expect(method).toBe('roots/list');
    await client.answer(id!, { roots: [] });
    expect(await stream.message()).toMatchObject({ id: 'call' });
  });
});

describe('a request that a client of 2025-06-18 cancels', () => {
  // covers: 2025-06-18/cancellation/resources-are-freed
  test('keeps nothing alive: its connection is free, and closing waits for nothing', async () => {
    const started = createGate();
    const listening = await serve(
      serverWith(server => {
        server.tool('endless', {}, () => {
          started.open();
          return new Promise<never>(() => {});
        });
      }),
    );
    const client = await LegacyClient.open(listening.url, { revision: REVISION });
    const call = client.request('tools/call', { name: 'endless' }, 1);
    await started.passed;
    await client.notify('notifications/cancelled', { requestId: 1 });
    expect((await call).messages).toEqual([]);
    // It would wait for a call that is still running.
    await listening.close(LONGEST);
  });
});

describe('a server that listens', () => {
  // covers: 2025-06-18/transports/http-local-server-binds-to-localhost
  // covers: 2024-11-05/transports/sse-local-server-binds-to-localhost, 2025-06-18/security/local-server-limits-access
  test('is reached from this machine only, unless it is told otherwise', async () => {
    const { url, port } = await serve(serverWith(() => {}));
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of addresses.filter(({ internal, family }) => !internal && family === 'IPv4')) {
      const refused = await new Promise(resolve => {
        const sent = request({ host: address, port, timeout: 5000 }, () => resolve(false));
        sent.on('error', () => resolve(true)).on('timeout', () => sent.destroy());
        sent.end();
      });
      expect(refused, address).toBe(true);
    }
  });

  // covers: 2025-06-18/transports/http-connections-are-authenticated
  test('can ask on every request of a session who it is from', async () => {
    const asked: (string | undefined)[] = [];
    const { url } = await serve(
      serverWith(server => server.tool('soup', {}, () => 'Soup')),
      {
        authenticate: ({ header }) => {
          asked.push(header('authorization'));
          return { principal: 'ada' };
        },
      },
    );
    const client = await LegacyClient.open(url, { headers: { authorization: 'Bearer a' } });
    await client.call('soup');
    await (await client.notices()).cut();
    await client.delete();
    expect(asked).toEqual(Array(5).fill('Bearer a'));
  });
});

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { ConnectionError, type ConnectOptions, ERROR, McpError } from '../../src/client/index.js';
import {
  logging,
  rateLimit,
  redaction,
  responseCache,
  resultLimit,
  retry,
  timing,
} from '../../src/middleware/index.js';
import { type Middleware, Server } from '../../src/server/index.js';
import { connectTest, textOf } from '../../src/testing/index.js';

const REVISIONS = ['2025-06-18', '2026-07-28'];

describe.each(REVISIONS)('on %s', revision => {
  async function open(
    add: (server: Server) => Middleware[],
    options: ConnectOptions & { caller?: any } = {},
  ) {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
    let count = 0;
    server.tool('count', { input: z.object({ of: z.string().optional() }) }, () => `${++count}`);
    server.tool('long', {}, () => [`${'a'.repeat(30)}`, 'b'.repeat(30)]);
    server.tool('leak', {}, (_, ctx) => {
      ctx.log.info('the key is sk-12345678901234567890');
      return 'the key is sk-12345678901234567890';
    });
    server.tool('fail', {}, () => {
      throw new McpError(-32001, 'no soup');
    });
    server.tool('ask', {}, async (_, ctx) => {
      const { action } = await ctx.elicit(
        'Is sk-12345678901234567890 yours?',
        z.object({ yes: z.boolean() }),
      );
      return `${action} ${++count}`;
    });
    server.tool('betray', {}, () => {
      throw new McpError(-32001, 'not sk-12345678901234567890', { key: 'sk-12345678901234567890' });
    });
    server.tool('names', { output: z.object({ of: z.record(z.string(), z.number()) }) }, () => ({
      of: { 'sk-12345678901234567890': 1 },
    }));
    server.tool('faces', {}, () => ({
      content: [
        { type: 'resource' as const, resource: { uri: 'bistro://faces', text: `${'a'.repeat(39)}😀😀` } },
      ],
    }));
    for (const layer of add(server)) server.use(layer);
    const client = await connectTest(server, { revision, cache: false, ...options });
    onTestFinished(() => client.close());
    return { client, server };
  }

  it('logging writes a line for each request, and its failure', async () => {
    const lines: string[] = [];
    const { client } = await open(() => [logging({ write: line => lines.push(line) })]);
    await client.callTool('count', {});
    await client.callTool('fail').catch(() => {});
    expect(lines.filter(line => line.startsWith('tools/call'))).toEqual([
      expect.stringMatching(/^tools\/call count \d+ ms ok$/),
      expect.stringMatching(/^tools\/call fail \d+ ms failed: no soup$/),
    ]);
  });

  it('logging keeps what a client chose in one line, and calls a question no failure', async () => {
    const lines: string[] = [];
    const { client } = await open(() => [logging({ write: line => lines.push(line) })], {
      onElicit: () => ({ action: 'decline' }),
    });
    await client.callTool('x 0 ms ok\n\u001b[2Jtools/call refund').catch(() => {});
    await client.callTool('ask');
    const written = lines.filter(line => line.startsWith('tools/call'));
    expect(written[0]).toMatch(
      /^tools\/call x 0 ms ok\\u\{a\}\\u\{1b\}\[2Jtools\/call refund \d+ ms failed: /,
    );
    expect(lines.join('')).not.toMatch(/\p{Cc}/u);
    expect(written.slice(1).map(line => line.replace(/\d+/, ''))).toEqual(
      revision === '2026-07-28'
        ? ['tools/call ask  ms asked', 'tools/call ask  ms ok']
        : ['tools/call ask  ms ok'],
    );
  });

  it('timing reports each request', async () => {
    const timed: string[] = [];
    const { client } = await open(() => [timing(({ method, target }) => timed.push(`${method} ${target}`))]);
    await client.callTool('count', {});
    expect(timed).toContain('tools/call count');
  });

  it('rateLimit refuses what is too much, and says when to come back', async () => {
    const { client } = await open(() => [rateLimit({ perMinute: 2 })]);
    await client.callTool('count', {});
    await client.callTool('count', {});
    const error = (await client.callTool('count', {}).catch(thrown => thrown)) as McpError;
    expect(error).toMatchObject({ code: -31503, message: expect.stringMatching(/try again in \d+ s/) });
    expect((error.data as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
    // Other methods are not counted.
    await client.tools({ cacheMode: 'bypass' });
  });

  it('resultLimit cuts a long result, and links to the rest', async () => {
    const { client } = await open(server => [resultLimit(server, { maxCharacters: 40 })]);
    const { content } = await client.callTool('long');
    expect(content.slice(0, 2)).toMatchObject([{ text: 'a'.repeat(30) }, { text: 'b'.repeat(10) }]);
    expect(content[2]).toMatchObject({ text: expect.stringContaining('20 more are in the linked resource') });
    const { uri } = content[3] as { uri: string };
    const { contents } = await client.readResource(uri);
    expect(contents).toMatchObject([{ text: 'b'.repeat(20) }]);
    expect((await client.callTool('count', {})).content).toHaveLength(1);
  });

  it('resultLimit counts embedded resources, and splits no character', async () => {
    const { client } = await open(server => [resultLimit(server, { maxCharacters: 40 })]);
    const { content } = await client.callTool('faces');
    expect(content[0]).toMatchObject({ resource: { text: 'a'.repeat(39) } });
    expect(content.at(-1)).toMatchObject({ type: 'resource_link' });
  });

  it('responseCache asks again where a result rests on a question', async () => {
    const onElicit = vi.fn(() => ({ action: 'accept' as const, content: { yes: true } }));
    const { client } = await open(() => [responseCache({ ttlMs: 60_000, tools: ['ask'] })], { onElicit });
    expect(textOf(await client.callTool('ask'))).toBe('accept 1');
    expect(textOf(await client.callTool('ask'))).toBe('accept 2');
    expect(onElicit).toHaveBeenCalledTimes(2);
  });

  it('rateLimit counts each session for itself', async () => {
    const layer = rateLimit({ perMinute: 1 });
    const { client, server } = await open(() => [layer]);
    const other = await connectTest(server, { revision, cache: false });
    onTestFinished(() => other.close());
    await client.callTool('count', {});
    const second = other.callTool('count', {});
    // Without sessions, callers without a principal are one.
    if (revision === '2026-07-28') await expect(second).rejects.toMatchObject({ code: ERROR.busy });
    else expect(textOf(await second)).toBe('2');
  });

  it('rateLimit counts all sessions of a principal together', async () => {
    const { client, server } = await open(() => [rateLimit({ perMinute: 1 })], {
      caller: { principal: 'ada' },
    });
    const [again, other] = await Promise.all(
      ['ada', 'grace'].map(principal =>
        connectTest(server, { revision, cache: false, caller: { principal } }),
      ),
    );
    onTestFinished(() => Promise.all([again!.close(), other!.close()]).then(() => {}));
    await client.callTool('count', {});
    await expect(again!.callTool('count', {})).rejects.toMatchObject({ code: ERROR.busy });
    expect(textOf(await other!.callTool('count', {}))).toBe('2');
  });

  it('responseCache gives nothing to a caller who may not use the tool any more, or to a tool that is gone', async () => {
    const { client, server } = await open(() => [
      responseCache({ ttlMs: 60_000, tools: ['guarded', 'passing'] }),
    ]);
    let isAllowed = true;
    const output = z.object({ of: z.string() });
    server.tool('guarded', { output, authorize: () => isAllowed }, () => ({ of: 'soup' }));
    const passing = server.tool('passing', {}, () => 'salad');
    for (const _ of [1, 2]) {
      expect((await client.callTool('guarded')).structuredContent).toEqual({ of: 'soup' });
      expect(textOf(await client.callTool('passing'))).toBe('salad');
    }
    isAllowed = false;
    passing.remove();
    await expect(client.callTool('guarded')).rejects.toThrow();
    await expect(client.callTool('passing')).rejects.toThrow('unknown tool: passing');
  });

  it('responseCache tells clients apart that can do different things', async () => {
    const { client, server } = await open(() => [responseCache({ ttlMs: 60_000, tools: ['which'] })]);
    server.tool('which', {}, (_, ctx) => (ctx.extension('com.example/chart') ? 'a chart' : 'a table'));
    const extensions = [{ id: 'com.example/chart' }];
    const other = await connectTest(server, { revision, cache: false, extensions });
    onTestFinished(() => other.close());
    expect(textOf(await client.callTool('which'))).toBe('a table');
    expect(textOf(await other.callTool('which'))).toBe('a chart');
  });

  it('redaction replaces secrets in the errors that the server exposes', async () => {
    const server = new Server(
      { name: 'bistro', version: '1.0.0' },
      { exposeErrors: true, onError: error => errors.push(error) },
    );
    const errors: unknown[] = [];
    server.use(redaction({ patterns: [/sk-\d+/g] }));
    server.resource('menu://today', {}, () => {
      throw new Error('no access with sk-123');
    });
    const client = await connectTest(server, { revision, cache: false });
    onTestFinished(() => client.close());
    await expect(client.readResource('menu://today')).rejects.toMatchObject({
      message: 'no access with [redacted]',
    });
    expect(errors).toMatchObject([{ cause: { message: 'no access with sk-123' } }]);
  });

  it('timing reports a request once, even if the report fails', async () => {
    const reported: unknown[] = [];
    const report = timing(({ method, error }) => {
      if (method !== 'tools/call') return;
      reported.push(error);
      throw new Error('the statistics are full');
    });
    const { client } = await open(() => [report]);
    await expect(client.callTool('count', {})).rejects.toMatchObject({ code: ERROR.internal });
    expect(reported).toEqual([undefined]);
  });

  it('responseCache reuses the results of the tools that it is told', async () => {
    const { client } = await open(() => [responseCache({ ttlMs: 60_000, tools: ['count'] })]);
    expect(textOf(await client.callTool('count', { of: 'soup' }))).toBe('1');
    expect(textOf(await client.callTool('count', { of: 'soup' }))).toBe('1');
    expect(textOf(await client.callTool('count', { of: 'salad' }))).toBe('2');
  });

  it('redaction replaces secrets in results and in logs', async () => {
    const { client } = await open(() => [redaction({ patterns: [/sk-\w{20}/g] })]);
    expect(textOf(await client.callTool('leak'))).toBe('the key is [redacted]');
    expect(client.heard.logs).toMatchObject([{ data: 'the key is [redacted]' }]);
  });

  it('redaction replaces secrets in errors, questions and names', async () => {
    const questions: string[] = [];
    const { client } = await open(() => [redaction({ patterns: [/sk-\d{20}/g] })], {
      onElicit: ({ message }) => {
        questions.push(message);
        return { action: 'decline' };
      },
    });
    await expect(client.callTool('betray')).rejects.toMatchObject({
      code: -32001,
      message: 'not [redacted]',
      data: { key: '[redacted]' },
    });
    await client.callTool('ask');
    expect(questions).toEqual(['Is [redacted] yours?']);
    expect((await client.callTool('names')).structuredContent).toEqual({ of: { '[redacted]': 1 } });
  });

  it('redaction refuses a pattern that would find only the first secret', () => {
    expect(() => redaction({ patterns: [/x/] })).toThrow('redaction needs patterns with the flag g: /x/g');
  });

  it('retry sends again what a busy server refused, and reads that failed', async () => {
    let refusals = 2;
    const busy: Middleware = async (call, next) => {
      if (call.method === 'tools/call' && refusals-- > 0)
        throw new McpError(ERROR.busy, 'later', { retryAfterMs: 1 });
      return next();
    };
    const { client } = await open(() => [busy], { middleware: [retry({ firstPauseMs: 1 })] });
    expect(client.middleware).toEqual(['retry']);
    expect(textOf(await client.callTool('count', {}))).toBe('1');
    let breaks = 1;
    client.use(async (request, next) => {
      if (request.method === 'prompts/list' || request.method === 'tools/list') {
        if (breaks-- > 0) throw new ConnectionError('it broke');
      }
      return next();
    });
    expect(await client.tools()).toHaveLength(8);
  });

  // covers: 2026-07-28/basic/no-meaning-of-legacy-codes
  it('retry takes no code from -32000 to -32019 for that of a busy server', async () => {
    const { client } = await open(() => [], { middleware: [retry({ firstPauseMs: 1 })] });
    const sent = vi.fn();
    client.use((request, next) => {
      if (request.method !== 'tools/call') return next();
      sent();
      throw new McpError(-32005, 'paid, then failed', { retryAfterMs: 1 });
    });
    await expect(client.callTool('count', {})).rejects.toMatchObject({ code: -32005 });
    expect(sent).toHaveBeenCalledTimes(1);
  });

  it('retry gives up, and sends nothing twice that may have had an effect', async () => {
    const { client } = await open(() => [], { middleware: [retry({ attempts: 2, firstPauseMs: 1 })] });
    const sent = vi.fn();
    client.use((request, next) => {
      if (request.method !== 'tools/call') return next();
      sent();
      throw new ConnectionError('it broke');
    });
    await expect(client.callTool('count', {})).rejects.toThrow('it broke');
    expect(sent).toHaveBeenCalledTimes(1);
  });
});

describe('a mistake in middleware', () => {
  const wrong: [string, Middleware, string][] = [
    ['throws', () => Promise.reject(new Error('the password is 1234')), 'the password is 1234'],
    [
      'never calls next',
      (async () => undefined) as unknown as Middleware,
      'returned nothing for tools/call, so the result is not an object: call next, or answer with a result',
    ],
    [
      'calls next twice',
      async (_, next) => {
        await next();
        return next();
      },
      'called next twice for tools/call',
    ],
    [
      'changes the call',
      (call, next) => {
        (call as { method: string }).method = 'tools/list';
        return next();
      },
      'changed a message of tools/call in place: pass changes to next',
    ],
    [
      'changes the parameters in place',
      (call, next) => {
        call.params.name = 'other';
        return next();
      },
      'changed a message of tools/call in place: pass changes to next',
    ],
    [
      'changes the arguments in place',
      (call, next) => {
        (call.params.arguments as { dish: string }).dish = 'salad';
        return next();
      },
      'changed a message of tools/call in place: pass changes to next',
    ],
    [
      'changes the result in place',
      async (_, next) => {
        const result = (await next()) as { content: unknown[] };
        result.content.pop();
        return result;
      },
      'changed a message of tools/call in place: pass changes to next, and return a copy of a result',
    ],
    [
      'passes on parameters that are no object',
      (_, next) => next({ params: 'soup' as never }),
      'middleware "faulty" must pass an object as params to next',
    ],
  ];

  it.each(wrong)(
    'that %s is an internal error for the client, and reported',
    async (_, middleware, problem) => {
      const reported: string[] = [];
      const onError = (error: unknown) => reported.push((error as Error).message);
      const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
      server.tool('count', { input: z.object({ dish: z.string() }) }, () => '1');
      server.use(async function faulty(call, next) {
        const run = typeof middleware === 'function' ? middleware : undefined;
        return call.method === 'tools/call' && run ? run(call, next) : next();
      });
      const client = await connectTest(server);
      onTestFinished(() => client.close());
      await expect(client.callTool('count', { dish: 'soup' })).rejects.toMatchObject({
        code: -32603,
        message: 'internal error',
      });
      expect(reported).toEqual([expect.stringContaining(problem)]);
      expect(server.middleware).toEqual(['faulty']);
    },
  );

  it.each<[string, (tools: any[]) => void]>([
    ['the list', tools => tools.pop()],
    ['a tool of the list', tools => delete tools[0].inputSchema],
  ])('cannot change a list that many clients share: %s', async (_, change) => {
    const reported: string[] = [];
    const onError = (error: unknown) => reported.push((error as Error).message);
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    server.tool('count', {}, () => '1');
    server.use(async (call, next) => {
      const result = (await next()) as { tools?: unknown[] };
      if (call.method === 'tools/list') change(result.tools ?? []);
      return result;
    });
    const client = await connectTest(server);
    onTestFinished(() => client.close());
    await expect(client.tools()).rejects.toMatchObject({ code: -32603 });
    expect(reported[0]).toContain('changed a message of tools/list in place');
  });
});

it.each<[string, () => unknown]>([
  ['perMinute must be a positive number, but is NaN', () => rateLimit({ perMinute: Number.NaN })],
  ['burst must be a number of at least 1, but is 0', () => rateLimit({ perMinute: 1, burst: 0 })],
  ['maxCallers must be a number of at least 1, but is 0', () => rateLimit({ perMinute: 1, maxCallers: 0 })],
  ['ttlMs must be a positive number, but is 0', () => responseCache({ ttlMs: 0, tools: [] })],
  [
    'maxResults must be a number of at least 1, but is NaN',
    () => responseCache({ ttlMs: 1, tools: [], maxResults: Number.NaN }),
  ],
  [
    'maxKept must be a number of at least 1, but is 0',
    () => resultLimit(new Server({ name: 'bistro', version: '1.0.0' }), { maxKept: 0 }),
  ],
  ['without the flag y', () => redaction({ patterns: [/sk-/gy] })],
])('an option that would switch a limit off is refused: %s', (message, make) => {
  expect(make).toThrow(message);
});

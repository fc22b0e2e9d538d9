import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bearer } from '../client/auth/index.js';
import { Client, connect, type LogMessage, UsageError } from '../client/index.js';
import { protect } from '../server/auth/index.js';
import { fetchHandler } from '../server/http/index.js';
import { Server, type ToolsOf } from '../server/index.js';
import { connectTest, eachRevision, type TestClient, type TestOptions, textOf } from './index.js';

/** Forms came with this one. */
const FORMS = '2025-06-18';
const KEY = 'a key of at least thirty-two bytes';
const TODAY = 'menu://today';
const clients: TestClient[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()));
});

/** Connects on the newest revision, or another. */
async function open(server: Server, options?: TestOptions): Promise<TestClient> {
  const client = await connectTest(server, options);
  clients.push(client);
  return client;
}

function createServer(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
  server.tool('reserve', {}, async (_, ctx) => {
    const party = await ctx.elicit('How many guests?', z.object({ guests: z.number().int().min(1) }));
    if (party.action !== 'accept') return `not reserved: ${party.action}`;
    const where = await ctx.elicit('Where?', z.object({ room: z.enum(['inside', 'outside']) }));
    return `${party.content.guests} guests ${where.action === 'accept' ? where.content.room : 'anywhere'}`;
  });
  server.tool('pay', {}, async (_, ctx) => {
    const { action } = await ctx.elicitUrl('Please pay', 'https://bistro.example/pay');
    return action;
  });
  server.tool('describe', {}, async (_, ctx) => {
    const { content } = await ctx.sample({
      maxTokens: 10,
      messages: [{ role: 'user', content: { type: 'text', text: 'Describe the soup' } }],
    });
    return JSON.stringify(content);
  });
  server.tool('folders', {}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  server.tool('cook', {}, (_, ctx) => {
    ctx.log.debug('hot', 'stove');
    ctx.progress(1, { total: 2 });
    ctx.log.info({ dish: 'soup' });
    ctx.progress(2, { total: 2 });
    return 'Soup';
  });
  server.tool('fail', {}, () => {
    throw new Error('the soup is burnt');
  });
  server.tool('whoami', {}, (_, ctx) => ctx.caller?.principal ?? 'nobody');
  server.resource(TODAY, {}, () => 'Soup');
  const input = z.object({ dish: z.string() });
  server.prompt('order', { input, complete: { dish: ['soup', 'salad'] } }, ({ dish }) => `One ${dish}`);
  return server;
}

describe('a test client', () => {
  eachRevision(it, 'is the client of tenon/client, in the revision asked for', async (connect, revision) => {
    const client = await connect(createServer());
    expect(client).toBeInstanceOf(Client);
    expect(client.revision).toBe(revision);
    expect(client.server.info).toMatchObject({ name: 'bistro' });
    expect((await client.tools()).map(({ name }) => name)).toContain('reserve');
  });

  eachRevision(it, 'answers forms, one after another', { since: FORMS }, async connect => {
    const answers = { elicit: [{ guests: 2 }, { room: 'outside' }] };
    const client = await connect(createServer(), { answers });
    expect(textOf(await client.callTool('reserve'))).toBe('2 guests outside');
    expect(client.heard.questions).toMatchObject([
      { method: 'elicitation/create', params: { message: 'How many guests?' } },
      { method: 'elicitation/create', params: { message: 'Where?' } },
    ]);
  });

  eachRevision(it, 'answers every form alike', { since: FORMS }, async connect => {
    const client = await connect(createServer(), { answers: { elicit: { guests: 3, room: 'inside' } } });
    expect(textOf(await client.callTool('reserve'))).toBe('3 guests inside');
    expect(textOf(await client.callTool('reserve'))).toBe('3 guests inside');
  });

  eachRevision(it, 'declines and cancels', { since: FORMS }, async connect => {
    const client = await connect(createServer(), { answers: { elicit: ['decline', 'cancel'] } });
    expect(textOf(await client.callTool('reserve'))).toBe('not reserved: decline');
    expect(textOf(await client.callTool('reserve'))).toBe('not reserved: cancel');
  });

  eachRevision(it, 'says when its answers are used up', { since: FORMS }, async connect => {
    const client = await connect(createServer(), { answers: { elicit: [{ guests: 2 }] } });
    // With a handshake the server hears of it, and its tool fails.
    const said = await client.callTool('reserve').then(textOf, error => error.message);
    expect(said).toContain('the server asks for one more answer than the 1 in answers.elicit of the test');
  });

  eachRevision(it, 'answers with handlers of the test', { since: FORMS }, async connect => {
    const client = await connect(createServer(), {
      onElicit: ({ message }) => ({
        action: 'accept',
        content: message === 'Where?' ? { room: 'inside' } : { guests: 1 },
      }),
    });
    expect(textOf(await client.callTool('reserve'))).toBe('1 guests inside');
    expect(client.heard.questions).toHaveLength(2);
  });

  eachRevision(it, 'visits pages, or not', { since: '2025-11-25' }, async connect => {
    const client = await connect(createServer(), { answers: { elicitUrl: ['accept', 'decline'] } });
    expect(textOf(await client.callTool('pay'))).toBe('accept');
    expect(textOf(await client.callTool('pay'))).toBe('decline');
    expect(client.heard.questions).toMatchObject([
      { method: 'elicitation/create', params: { url: 'https://bistro.example/pay' } },
      { method: 'elicitation/create', params: { url: 'https://bistro.example/pay' } },
    ]);
  });

  eachRevision(
    it,
    'is asked no form before there were any, and the tool is told',
    async (connect, revision) => {
      if (revision >= FORMS) return;
      const client = await connect(createServer(), { answers: { elicit: { guests: 2 } } });
      expect(textOf(await client.callTool('reserve'))).toBe(
        `revision ${revision}, which this client speaks, has no elicitation/create`,
      );
      expect(client.heard.questions).toEqual([]);
    },
  );

  eachRevision(it, 'answers for the model', async connect => {
    const image = { type: 'image', data: btoa('x'), mimeType: 'image/png' } as const;
    const answers = { sample: ['Hot', { role: 'assistant', content: image, model: 'm' } as const] };
    const client = await connect(createServer(), { answers });
    expect(textOf(await client.callTool('describe'))).toBe('{"type":"text","text":"Hot"}');
    expect(textOf(await client.callTool('describe'))).toBe(JSON.stringify(image));
    expect(client.heard.questions).toMatchObject([
      {
        method: 'sampling/createMessage',
        params: { messages: [{ content: { text: 'Describe the soup' } }] },
      },
      { method: 'sampling/createMessage' },
    ]);
  });

  eachRevision(it, 'has roots', async connect => {
    const roots = [{ uri: 'file:///work' }];
    const client = await connect(createServer(), { roots });
    expect(textOf(await client.callTool('folders'))).toBe('file:///work');
    const other = await connect(createServer(), { roots: async () => roots });
    expect(textOf(await other.callTool('folders'))).toBe('file:///work');
    expect(client.heard.questions).toEqual([{ method: 'roots/list' }]);
  });

  eachRevision(it, 'notes down logs of all levels and progress', async connect => {
    const client = await connect(createServer());
    expect(textOf(await client.callTool('cook'))).toBe('Soup');
    expect(client.heard.logs).toEqual([
      { level: 'debug', logger: 'stove', data: 'hot' },
      { level: 'info', data: { dish: 'soup' } },
    ]);
    expect(client.heard.progress).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    expect(client.heard).toMatchObject({ changes: [], questions: [], notifications: [] });
  });

  eachRevision(it, 'also tells the handlers of the test', async connect => {
    const logs: LogMessage[] = [];
    const progress: number[] = [];
    const client = await connect(createServer(), { logLevel: 'info', onLog: log => logs.push(log) });
    await client.callTool('cook', {}, { onProgress: event => progress.push(event.progress) });
    expect(logs).toEqual([{ level: 'info', data: { dish: 'soup' } }]);
    expect(client.heard.logs).toEqual(logs);
    expect(progress).toEqual([1, 2]);
    expect(client.heard.progress).toHaveLength(2);
  });

  eachRevision(it, 'reads, asks for prompts and completes', async connect => {
    const client = await connect(createServer());
    const { contents } = await client.readResource(TODAY);
    expect(contents).toMatchObject([{ uri: TODAY, text: 'Soup' }]);
    const { messages } = await client.getPrompt('order', { dish: 'pie' });
    expect(messages).toMatchObject([{ content: { text: 'One pie' } }]);
    const ref = { type: 'ref/prompt', name: 'order' } as const;
    expect(await client.complete(ref, { name: 'dish', value: 'sa' })).toMatchObject({ values: ['salad'] });
  });

  eachRevision(it, 'notes down changes of what it watches', async connect => {
    const server = createServer();
    const client = await connect(server);
    await client.watch({ tools: true, resources: [TODAY] });
    server.tool('new', {}, () => 'New');
    server.prompt('new', {}, () => 'New');
    await client.heard.until(({ changes }) => changes.length === 1);
    server.resourceChanged(TODAY);
    await client.heard.until(({ changes }) => changes.length === 2);
    expect(client.heard.changes).toEqual([{ kind: 'tools' }, { kind: 'resource', uri: TODAY }]);
    expect((await client.tools()).map(({ name }) => name)).toContain('new');
  });

  eachRevision(it, 'gets what a tool that throws makes of it', async connect => {
    const client = await connect(createServer());
    expect(await client.callTool('fail')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'tool "fail" failed' }],
    });
    await expect(client.callTool('no such tool')).rejects.toThrow('no such tool');
  });

  eachRevision(it, 'without answers declares none, and tools fail that ask', async (connect, revision) => {
    const client = await connect(createServer());
    const failing: [tool: string, capability: string][] = [
      ['reserve', 'elicitation.form'],
      ['describe', 'sampling'],
      ['folders', 'roots'],
    ];
    for (const [tool, capability] of failing) {
      const call = client.callTool(tool).then(({ content, isError }) => {
        expect(isError).toBe(true);
        throw new Error(JSON.stringify(content));
      });
      await expect(call, revision).rejects.toThrow(
        new RegExp(
          `needs the client capability \\W*${capability}\\W*, which this client did not declare|` +
            `revision ${revision}, which this client speaks, has no ${capability.split('.')[0]}`,
        ),
      );
    }
  });

  eachRevision(it, 'is the caller that the test names', async connect => {
    const client = await connect(createServer(), { caller: { principal: 'ada' } });
    expect(textOf(await client.callTool('whoami'))).toBe('ada');
    expect(textOf(await (await connect(createServer())).callTool('whoami'))).toBe('nobody');
  });

  eachRevision(it, 'shows its token to a protected server', async connect => {
    const auth = protect({
      resource: 'https://bistro.example/mcp',
      authorizationServers: ['https://login.example'],
      verify: token => (token === 'secret' ? { subject: 'ada', issuer: 'https://login.example' } : undefined),
    });
    const options = { url: 'https://bistro.example/mcp', handler: { auth } };
    const client = await connect(createServer(), { ...options, auth: bearer('secret') });
    expect(textOf(await client.callTool('whoami'))).toContain('ada');
    await expect(connect(createServer(), options)).rejects.toThrow('401');
  });

  it('speaks the newest revision if it is not told another', async () => {
    expect((await open(createServer())).revision).toBe('2026-07-28');
  });

  it('knows the tools of a server by their types', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const input = z.object({ guests: z.number() });
    const reserve = server.tool('reserve', { input, output: input }, args => args);
    const client = await connectTest<ToolsOf<typeof reserve>>(server);
    const { structuredContent } = await client.callTool('reserve', { guests: 2 });
    expect(structuredContent.guests).toBe(2);
    await client.close();
  });

  it('sends headers of its own, and shows what the handler gets', async () => {
    const seen: unknown[] = [];
    const client = await open(createServer(), {
      headers: { 'x-table': '7' },
      handler: {
        authenticate: ({ header, method }) => {
          seen.push([method, header('x-table'), header('content-type')]);
          return undefined;
        },
      },
    });
    await client.callTool('whoami');
    expect(seen.at(-1)).toEqual(['POST', '7', 'application/json']);
  });

  it('lets another go on with a request that one began', async () => {
    const server = createServer();
    const one = await open(server, { capabilities: { elicitation: { form: {} } } });
    const two = await open(server, { capabilities: { elicitation: { form: {} } } });
    const { held } = await one.begin('tools/call', { name: 'reserve', arguments: {} });
    const [name] = Object.keys(held?.questions ?? {});
    const outcome = await two.resume(held as never, { [name as string]: { action: 'decline' } });
    expect(outcome.result).toMatchObject({ content: [{ text: 'not reserved: decline' }] });
  });
});

describe('closing a test client', () => {
  eachRevision(it, 'aborts calls that still run, and refuses others', async connect => {
    const server = createServer();
    let reason: unknown;
    const started = new Promise<void>(resolve => {
      server.tool('wait', {}, (_, { signal }) => {
        resolve();
        return new Promise<void>(done => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            done();
          });
        });
      });
    });
    const client = await connect(server);
    const call = client.callTool('wait');
    const failed = expect(call).rejects.toMatchObject({ kind: 'connection' });
    await started;
    await client.close();
    await failed;
    expect(reason).toMatchObject({ name: 'Cancelled' });
    await expect(client.callTool('cook')).rejects.toThrow('the client was closed');
    await client.close();
  });

  it('is done by await using', async () => {
    const server = createServer();
    let kept: TestClient;
    {
      await using client = await connectTest(server);
      kept = client;
      expect(textOf(await client.callTool('cook'))).toBe('Soup');
    }
    await expect(kept.callTool('cook')).rejects.toThrow('the client was closed');
  });

  it('leaves other clients of the server alone', async () => {
    const server = createServer();
    const one = await open(server);
    const two = await open(server);
    await one.close();
    expect(textOf(await two.callTool('cook'))).toBe('Soup');
  });
});

describe('waiting for what is heard', () => {
  it('says after a while what was heard instead', async () => {
    const client = await open(createServer());
    await client.callTool('cook');
    const waiting = client.heard.until(({ changes }) => changes.length > 0, { timeoutMs: 10 });
    await expect(waiting).rejects.toMatchObject({
      kind: 'timeout',
      message:
        'the condition of the test was not met within 10 ms; received were 2 logs, 2 progress, 0 changes, 0 questions, 0 notifications',
    });
  });

  it('fails if the condition does', async () => {
    const client = await open(createServer());
    const waiting = client.heard.until(() => {
      throw new Error('not this');
    });
    await expect(waiting).rejects.toThrow('not this');
  });
});

describe('a mistake of the test', () => {
  const server = createServer();
  const mistakes: [what: string, options: TestOptions, message: string][] = [
    [
      'a revision that is none',
      { revision: '2025-06-19' },
      'there is no revision 2025-06-19; known are 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05',
    ],
    [
      'two kinds of answers',
      { answers: { elicit: {} }, onElicit: () => ({ action: 'cancel' }) },
      'use either answers.elicit or onElicit, not both',
    ],
    [
      'answers to what is not asked',
      { answers: { roots: [] } as object },
      'answers has no roots; it has elicit, elicitUrl, sample, and roots are an option of their own',
    ],
    [
      'two kinds of callers',
      { caller: { principal: 'ada' }, handler: { authenticate: () => undefined } },
      'use either caller or the auth of handler, not both',
    ],
    [
      'a way to send requests',
      { fetch: globalThis.fetch } as TestOptions,
      'connectTest has no option "fetch", because its requests go straight to the handler; to send them another way, use connect of tenon/client',
    ],
    [
      'a name in place of a caller',
      { caller: 'ada' } as unknown as TestOptions,
      'caller of connectTest must be an object, not a text',
    ],
    ['a URL that is no text', { url: 5 as never }, 'url of connectTest must be a text, not 5'],
  ];

  it.each(mistakes)('such as %s is told', async (_, options, message) => {
    const failed = connectTest(server, options);
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toBeInstanceOf(UsageError);
  });

  it('such as a URL in place of a server is told', async () => {
    await expect(connectTest('http://localhost/mcp' as never)).rejects.toThrow(
      'connectTest needs a Server; for a URL or a program, use connect of tenon/client',
    );
  });

  it('closes what was opened for it', async () => {
    const refusing = createServer();
    refusing.use(() => {
      throw new Error('not today');
    });
    await expect(connectTest(refusing, { revision: '2025-11-25' })).rejects.toThrow('cannot connect');
  });
});

describe('warnings', () => {
  it('of handlers reach the author of the server', async () => {
    const warnings: string[] = [];
    const server = new Server(
      { name: 'bistro', version: '1.0.0' },
      { onWarning: (message, where) => warnings.push(`${where}: ${message}`) },
    );
    server.tool('sign_in', {}, async (_, ctx) => {
      await ctx.elicit('Sign in', z.object({ cardNumber: z.string() }));
      return 'done';
    });
    const client = await open(server, { answers: { elicit: { cardNumber: '1' } } });
    await client.callTool('sign_in');
    expect(warnings).toEqual([expect.stringContaining('sign_in: a form asks for "cardNumber"')]);
  });

  it('about several processes are not given, and count as not given', async () => {
    const warnings: string[] = [];
    const options = { onWarning: (_: string, where: string) => warnings.push(where) };
    const server = new Server({ name: 'bistro', version: '1.0.0' }, options);
    server.tool('pay', {}, async (_, ctx) => {
      await ctx.once();
      ctx.session?.values.set('paid', true);
      return 'paid';
    });
    for (const revision of [FORMS, undefined] as const) {
      const client = await open(server, { revision });
      await client.watch({ tools: true });
      await client.callTool('pay');
      await client.close();
    }
    expect(warnings).toEqual([]);
    const handler = fetchHandler(server, { keys: [KEY] });
    const send: typeof fetch = (input, init) => handler(new Request(input, init));
    const client = await connect('http://localhost/mcp', { fetch: send, revision: FORMS });
    await client.callTool('pay');
    await client.close();
    await handler.close(0);
    expect(warnings).toContain('sessions');
  });
});

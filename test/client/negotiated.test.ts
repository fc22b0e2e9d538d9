import { describe, expect, it } from 'vitest';
import {
  type Client,
  type ConnectOptions,
  InvalidAnswer,
  NotSupported,
  UsageError,
} from '../../src/client/index.js';
import type { ClientCapabilities } from '../../src/protocol/capabilities.js';
import { HANDSHAKES, REVISIONS, ScriptedServer, type Sent, STATELESS, WAYS } from './scripted-server.js';

const EVERYTHING = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};

/** Requests of a client: the capability that each needs of the server, and the revisions that have it. */
interface RequestRow {
  method: string;
  needs: keyof typeof EVERYTHING;
  act?: (client: Client) => Promise<unknown>;
  params?: object;
  revisions?: string[];
  /** Revisions without such a capability. */
  free?: string[];
  /** What a server declares that has the feature, but not this part of it. */
  less?: object;
}

const URI = 'menu://today';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const ref = { type: 'ref/prompt' as const, name: 'x' };
const argument = { name: 'x', value: '' };

const REQUESTS: RequestRow[] = [
  { method: 'tools/list', needs: 'tools', act: client => client.tools() },
  { method: 'tools/call', needs: 'tools', act: client => client.callTool('x'), params: { name: 'x' } },
  { method: 'prompts/list', needs: 'prompts', act: client => client.prompts() },
  { method: 'prompts/get', needs: 'prompts', act: client => client.getPrompt('x'), params: { name: 'x' } },
  { method: 'resources/list', needs: 'resources', act: client => client.resources() },
  { method: 'resources/templates/list', needs: 'resources', act: client => client.resourceTemplates() },
  {
    method: 'resources/read',
    needs: 'resources',
    act: client => client.readResource(URI),
    params: { uri: URI },
  },
  {
    method: 'completion/complete',
    needs: 'completions',
    act: client => client.complete(ref, argument),
    params: { ref, argument },
    free: ['2024-11-05'],
  },
  {
    method: 'logging/setLevel',
    needs: 'logging',
    act: client => client.setLogLevel('info'),
    params: { level: 'info' },
    revisions: HANDSHAKES,
  },
  {
    method: 'resources/subscribe',
    needs: 'resources',
    params: { uri: URI },
    revisions: HANDSHAKES,
    less: { resources: { listChanged: true } },
  },
  {
    method: 'resources/unsubscribe',
    needs: 'resources',
    params: { uri: URI },
    revisions: HANDSHAKES,
    less: { resources: { listChanged: true } },
  },
  { method: 'ping', needs: 'tools', revisions: HANDSHAKES, free: HANDSHAKES },
];

function without(name: keyof typeof EVERYTHING): object {
  const { [name]: _left, ...rest } = EVERYTHING;
  return rest;
}

// covers: 2025-06-18/lifecycle/client-uses-only-negotiated-capabilities
// covers: 2025-03-26/lifecycle/client-uses-only-negotiated-capabilities
// covers: 2024-11-05/lifecycle/client-uses-only-negotiated-capabilities
// covers: 2026-07-28/prompts/capabilities-are-respected
describe.each(REVISIONS)('on %s a client', revision => {
  describe.each(WAYS)('%s', way => {
    for (const row of REQUESTS) {
      const { method, needs, act, params = {}, revisions = REVISIONS, less = without(needs) } = row;
      const ways: [string, (client: Client) => Promise<unknown>][] = [
        ['request', client => client.request(method, params)],
        ['begin', client => client.begin(method, params)],
        ...(act ? [['its own method', act] as [string, typeof act]] : []),
      ];
      const exists = revisions.includes(revision);

      if (exists)
        it(`sends ${method} to a server that declared what it needs`, async () => {
          const server = new ScriptedServer({ revision, capabilities: EVERYTHING });
          const client = await server.connect(way);
          for (const [, send] of ways) await send(client);
          // Tools are listed before the first call over HTTP, for the headers that mirror arguments.
          const before = method === 'tools/call' && revision === STATELESS && way === 'over HTTP';
          expect(server.methods).toEqual([...(before ? ['tools/list'] : []), ...ways.map(() => method)]);
        });

      if (exists && row.free?.includes(revision))
        it(`sends ${method}, which needs no capability`, async () => {
          const server = new ScriptedServer({ revision, capabilities: {} });
          const client = await server.connect(way);
          for (const [, send] of ways) await send(client);
          expect(server.methods).toEqual(ways.map(() => method));
        });
      else
        it(`does not send ${method} ${exists ? 'without that' : 'which the revision lacks'}`, async () => {
          const server = new ScriptedServer({ revision, capabilities: exists ? less : EVERYTHING });
          const client = await server.connect(way);
          for (const [name, send] of exists ? ways : ways.slice(0, 2)) {
            const error = await send(client).catch((thrown: unknown) => thrown);
            expect(error, name).toBeInstanceOf(NotSupported);
            expect((error as NotSupported).message).toContain(method);
            if (exists) expect((error as NotSupported).capability).toContain(needs);
          }
          expect(server.methods).toEqual([]);
        });
    }

    it('sends requests of extensions, whatever the server declared', async () => {
      const server = new ScriptedServer({ revision, capabilities: {} });
      const client = await server.connect(way);
      await client.request('menus/page');
      await client.notify('notifications/menus/read');
      await server.next(({ method }) => method === 'notifications/menus/read');
      expect(server.methods).toEqual(['menus/page', 'notifications/menus/read']);
    });

    const filters = [
      ['tools', { tools: true }, 'notifications/tools/list_changed', {}],
      ['prompts', { prompts: true }, 'notifications/prompts/list_changed', {}],
      ['resources', { resources: true }, 'notifications/resources/list_changed', {}],
      ['resource', { resources: [URI] }, 'notifications/resources/updated', { uri: URI }],
    ] as const;

    it.each(filters)(
      'hears of changes of %s that the server declared',
      async (kind, filter, method, params) => {
        const server = new ScriptedServer({ revision, capabilities: EVERYTHING });
        const client = await server.connect(way);
        let onReady = () => {};
        const ready = new Promise<void>(resolve => {
          onReady = resolve;
        });
        const changes = client.changes(filter, { onReady: () => onReady() })[Symbol.asyncIterator]();
        const next = changes.next();
        await ready;
        const listen = server.messages.find(message => message.method === 'subscriptions/listen');
        const _meta = listen && { 'io.modelcontextprotocol/subscriptionId': listen.id };
        server.tell({ method, params: { ...params, ...(_meta && { _meta }) } });
        expect(await next).toEqual({ done: false, value: { kind, ...params } });
        await changes.return?.();
      },
    );

    it.each(filters)('does not listen to changes of %s that it did not declare', async (_, filter) => {
      const capabilities = { tools: {}, prompts: {}, resources: {} };
      const server = new ScriptedServer({ revision, capabilities });
      const client = await server.connect(way);
      const error = await client
        .changes(filter)
        [Symbol.asyncIterator]()
        .next()
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(NotSupported);
      expect(server.methods).toEqual([]);
    });

    it('tells of changed roots only where it has declared that', async () => {
      const roots = [{ uri: 'file:///work' }];
      const server = new ScriptedServer({ revision, capabilities: EVERYTHING });
      const client = await server.connect(way, { roots });
      await client.setRoots(roots);
      const isThere = HANDSHAKES.includes(revision);
      if (isThere) await server.next(({ method }) => method === 'notifications/roots/list_changed');
      expect(server.methods).toEqual(isThere ? ['notifications/roots/list_changed'] : []);

      const other = new ScriptedServer({ revision, capabilities: EVERYTHING });
      const silent = await other.connect(way);
      const error = await silent
        .notify('notifications/roots/list_changed')
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(isThere ? UsageError : NotSupported);
      expect(other.methods).toEqual([]);
    });

    it('asks for log messages only of servers that declared them', async () => {
      for (const capabilities of [{ tools: {}, logging: {} }, { tools: {} }]) {
        const server = new ScriptedServer({ revision, capabilities });
        const client = await server.connect(way, { logLevel: 'debug' });
        await client.callTool('x');
        const call = server.messages.find(message => message.method === 'tools/call');
        const levels = [
          call.params._meta?.['io.modelcontextprotocol/logLevel'],
          server.messages.find(message => message.method === 'logging/setLevel')?.params.level,
        ].filter(level => level !== undefined);
        expect(levels).toEqual('logging' in capabilities ? ['debug'] : []);
      }
    });

    describe.each(questions(revision))('asked for $name', ({ question, handlers, refusal }) => {
      // covers: 2026-07-28/sampling/tools-are-declared
      it('answers if it has declared that', async () => {
        const { outcome } = await put(revision, way, question, handlers);
        expect(outcome).toBe('answered');
      });

      it('refuses, and calls no handler, if it has not', async () => {
        const { outcome } = await put(revision, way, question, refusal);
        expect(outcome).toBe('refused');
      });
    });
  });
});

describe('a server of 2026-07-28', () => {
  it('that gains a capability is asked again before a request is refused', async () => {
    const capabilities: Record<string, object> = {};
    const server = new ScriptedServer({ revision: STATELESS, capabilities });
    const client = await server.connect('over HTTP');
    await expect(client.tools()).rejects.toBeInstanceOf(NotSupported);
    capabilities.tools = { listChanged: true };
    expect(await client.tools()).toEqual([]);
    expect(client.server.capabilities).toEqual(capabilities);
  });

  it('that was not asked is taken to have everything', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: {} });
    const client = await server.connect('over HTTP', {
      revision: undefined,
      negotiated: { revision: STATELESS },
    });
    expect(await client.tools()).toEqual([]);
    expect(server.messages.map(({ method }) => method)).toEqual(['tools/list']);
  });

  it('gets the log level of a call rather than that of the client', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: EVERYTHING });
    const client = await server.connect('over HTTP');
    await client.setLogLevel('error');
    await client.callTool('x', {}, { meta: { [LOG_LEVEL]: 'debug' } });
    await client.callTool('x');
    const calls = server.messages.filter(({ method }) => method === 'tools/call');
    expect(calls.map(({ params }) => params._meta[LOG_LEVEL])).toEqual(['debug', 'error']);
  });

  it('without logging has no log level', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: { tools: {} } });
    const client = await server.connect('over HTTP');
    await expect(client.setLogLevel('error')).rejects.toMatchObject({ capability: 'logging' });
  });

  const answer = ({ method }: { method: string }) =>
    method === 'tools/call' ? { resultType: 'task', task: { taskId: '1' } } : undefined;

  // covers: 2026-07-28/basic/known-result-types
  it('may return results of types that extensions of the client bring', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: EVERYTHING, answer });
    const client = await server.connect('over HTTP', {
      capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
      resultTypes: ['task'],
    });
    const result = { resultType: 'task', task: { taskId: '1' } };
    expect(await client.request('tools/call', { name: 'x' })).toEqual(result);
    expect(await client.begin('tools/call', { name: 'x' })).toEqual({ result });
  });

  it('may not return other types of results', async () => {
    const server = new ScriptedServer({ revision: STATELESS, capabilities: EVERYTHING, answer });
    const client = await server.connect('over HTTP');
    await expect(client.request('tools/call', { name: 'x' })).rejects.toBeInstanceOf(InvalidAnswer);
  });
});

interface QuestionRow {
  name: string;
  question: Sent;
  /** Options of a client that declares what the question needs. */
  handlers: ConnectOptions;
  /** Options of a client that does not, though it may have other parts of the feature. */
  refusal: ConnectOptions;
  revisions: string[];
}

function questions(revision: string): QuestionRow[] {
  const SINCE_FORMS = REVISIONS.slice(2);
  const SINCE_PAGES = REVISIONS.slice(3);
  const elicit: ConnectOptions = { onElicit: () => ({ action: 'decline' }) };
  const visit: ConnectOptions = { onElicitUrl: () => ({ action: 'decline' }) };
  const content = { type: 'text' as const, text: 'Hi' };
  const sample: ConnectOptions = { onSample: () => ({ role: 'assistant', model: 'm', content }) };
  const capabilities: ClientCapabilities = { sampling: { tools: {} } };
  const messages = [{ role: 'user', content }];
  const requestedSchema = { type: 'object', properties: {} };
  const rows: QuestionRow[] = [
    {
      name: 'a form',
      question: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } },
      handlers: elicit,
      refusal: visit,
      revisions: SINCE_FORMS,
    },
    {
      name: 'a page',
      question: {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: '1' },
      },
      handlers: visit,
      refusal: elicit,
      revisions: SINCE_PAGES,
    },
    {
      name: 'a model',
      question: { method: 'sampling/createMessage', params: { messages, maxTokens: 1 } },
      handlers: sample,
      refusal: elicit,
      revisions: REVISIONS,
    },
    {
      name: 'a model with tools',
      question: { method: 'sampling/createMessage', params: { messages, maxTokens: 1, tools: [] } },
      handlers: { ...sample, capabilities },
      refusal: sample,
      revisions: SINCE_PAGES,
    },
    {
      name: 'roots',
      question: { method: 'roots/list', params: {} },
      handlers: { roots: [{ uri: 'file:///work' }] },
      refusal: sample,
      revisions: REVISIONS,
    },
  ];
  return rows.filter(row => row.revisions.includes(revision));
}

/** Asks a client one question. */
async function put(revision: string, way: (typeof WAYS)[number], question: Sent, options: ConnectOptions) {
  let calls = 0;
  const counted = Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      typeof value === 'function'
        ? (...args: unknown[]) => {
            calls++;
            return (value as (...args: unknown[]) => unknown)(...args);
          }
        : value,
    ]),
  );
  let rounds = 0;
  const answer = ({ method }: { method: string }) => {
    if (revision !== STATELESS || method !== 'tools/call' || rounds++ > 0) return undefined;
    return { resultType: 'input_required', inputRequests: { a: question } };
  };
  const server = new ScriptedServer({ revision, capabilities: EVERYTHING, answer });
  const client = await server.connect(way, counted);
  if (revision === STATELESS) {
    const error = await client.callTool('x').catch((thrown: unknown) => thrown);
    if (!(error instanceof InvalidAnswer)) return { outcome: 'answered' };
    // Also where the caller takes the rounds by hand.
    rounds = 0;
    await expect(client.begin('tools/call', { name: 'x' })).rejects.toBeInstanceOf(InvalidAnswer);
    expect(calls).toBe(0);
    return { outcome: 'refused' };
  }
  // A stream over HTTP is open when the first request has been sent.
  await client.ping();
  const reply = await server.ask(question);
  if (reply.result) return { outcome: 'answered' };
  expect([-32601, -32602]).toContain(reply.error.code);
  expect(calls).toBe(0);
  return { outcome: 'refused' };
}

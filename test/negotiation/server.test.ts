import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/protocol/service.js';
import { Server, type ServerCapabilities } from '../../src/server/index.js';
import { DOORS, MODERN } from './peer.js';

/*
 * What a server sends, serves and answers, by what was declared. The tables are taken from the schemas and pages of the
 * five revisions, and know nothing of the tables in src/revisions.
 */

const HANDSHAKES = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
const ALL = [...HANDSHAKES, MODERN];
const SINCE_FORMS = ALL.slice(2);
const SINCE_PAGES = ALL.slice(3);

interface Row {
  method: string;
  revisions: string[];
  /** The declaration without which the message must not be used; absent if there is none. */
  needs?: object;
  /** Revisions in which it can be used without a declaration. */
  free?: string[];
}

const REQUESTS: (Row & { params?: object })[] = [
  { method: 'ping', revisions: HANDSHAKES },
  { method: 'server/discover', revisions: [MODERN] },
  { method: 'tools/list', revisions: ALL, needs: { tools: {} } },
  { method: 'tools/call', params: { name: 'plain' }, revisions: ALL, needs: { tools: {} } },
  { method: 'prompts/list', revisions: ALL, needs: { prompts: {} } },
  { method: 'prompts/get', params: { name: 'p' }, revisions: ALL, needs: { prompts: {} } },
  { method: 'resources/list', revisions: ALL, needs: { resources: {} } },
  { method: 'resources/templates/list', revisions: ALL, needs: { resources: {} } },
  { method: 'resources/read', params: { uri: 'note://a' }, revisions: ALL, needs: { resources: {} } },
  {
    method: 'resources/subscribe',
    params: { uri: 'note://a' },
    revisions: HANDSHAKES,
    needs: { resources: { subscribe: true } },
  },
  {
    method: 'resources/unsubscribe',
    params: { uri: 'note://a' },
    revisions: HANDSHAKES,
    needs: { resources: { subscribe: true } },
  },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    revisions: ALL,
    needs: { completions: {} },
    free: ['2024-11-05'],
  },
  { method: 'logging/setLevel', params: { level: 'debug' }, revisions: HANDSHAKES, needs: { logging: {} } },
  // Messages of servers are not for clients to send.
  { method: 'roots/list', revisions: [] },
  { method: 'sampling/createMessage', revisions: [] },
  { method: 'elicitation/create', revisions: [] },
];

const NOTICES: Row[] = [
  { method: 'notifications/tools/list_changed', revisions: ALL, needs: { tools: { listChanged: true } } },
  { method: 'notifications/prompts/list_changed', revisions: ALL, needs: { prompts: { listChanged: true } } },
  {
    method: 'notifications/resources/list_changed',
    revisions: ALL,
    needs: { resources: { listChanged: true } },
  },
  {
    method: 'notifications/resources/updated',
    revisions: ALL,
    needs: { resources: { subscribe: true } },
  },
];

const QUESTIONS: (Row & { tool: string })[] = [
  { tool: 'form', method: 'elicitation/create', revisions: SINCE_FORMS, needs: { elicitation: {} } },
  { tool: 'page', method: 'elicitation/create', revisions: SINCE_PAGES, needs: { elicitation: { url: {} } } },
  { tool: 'sample', method: 'sampling/createMessage', revisions: ALL, needs: { sampling: {} } },
  {
    tool: 'sample_tools',
    method: 'sampling/createMessage',
    revisions: SINCE_PAGES,
    needs: { sampling: { tools: {} } },
  },
  { tool: 'roots', method: 'roots/list', revisions: ALL, needs: { roots: {} } },
  { tool: 'ping', method: 'ping', revisions: HANDSHAKES },
];

const FROM_CLIENTS: Row[] = [
  { method: 'notifications/initialized', revisions: HANDSHAKES },
  {
    method: 'notifications/roots/list_changed',
    revisions: HANDSHAKES,
    needs: { roots: { listChanged: true } },
  },
  { method: 'notifications/acme/note', revisions: ALL },
];

const UNDECLARED: ServerCapabilities = Object.fromEntries(
  ['tools', 'prompts', 'resources', 'completions', 'logging'].map(name => [name, undefined]),
);
const SAMPLE = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hi' } }],
  maxTokens: 1,
};

/** A server that has everything, and declares only what it is told to. */
function createServer(declared: object, heard: string[] = []): Server {
  const capabilities = { ...UNDECLARED, ...declared };
  const server = new Server({ name: 'table', version: '1' }, { capabilities, onError: () => {} });
  server.tool('plain', {}, (_args, ctx) => {
    ctx.log.error('said');
    return 'done';
  });
  server.tool('form', {}, async (_args, ctx) => (await ctx.elicit('Who?', FORM)).action);
  server.tool('page', {}, async (_args, ctx) => (await ctx.elicitUrl('Go', 'https://example.com/')).action);
  server.tool('sample', {}, async (_args, ctx) => (await ctx.sample(SAMPLE)).model);
  server.tool('sample_tools', {}, async (_args, ctx) => (await ctx.sample({ ...SAMPLE, tools: [] })).model);
  server.tool('roots', {}, async (_args, ctx) => String((await ctx.roots()).length));
  server.tool('ping', {}, async (_args, ctx) => {
    await ctx.ping();
    return 'pong';
  });
  server.prompt('p', { input: INPUT, complete: { a: ['x'] } }, () => 'p');
  server.resource('note://a', {}, () => 'a');
  for (const { method } of FROM_CLIENTS) {
    server.notification(method, () => {
      heard.push(method);
    });
  }
  return server;
}

const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;
const INPUT = { type: 'object', properties: { a: { type: 'string' } } } as const;

/** Changes everything that can be announced, and returns when the announcements are made. */
async function changeEverything(server: Server): Promise<void> {
  const announced = new Set<string>();
  const all = new Promise<void>(resolve => {
    const stop = server[SERVICE].watch(({ kind }) => {
      if (announced.add(kind).size < 4) return;
      stop();
      resolve();
    });
  });
  server.tool('later', {}, () => '');
  server.prompt('later', {}, () => '');
  server.resource('note://b', {}, () => '');
  server.resourceChanged('note://a');
  await all;
}

/** The same without its last part: `{ tools: {} }` of `{ tools: { listChanged: true } }`, `{}` of `{ tools: {} }`. */
function less(needs: object = {}): object {
  const [[group, detail] = ['', {}]] = Object.entries(needs);
  return Object.keys(detail as object).length > 0 ? { [group]: {} } : {};
}

/** Everything that a side may declare, each with the messages to try then, and whether they may be used. */
function declarations<R extends Row>(rows: readonly R[], revision: string) {
  const all = new Map<string, { declared: object; uses: { row: R; isUsed: boolean }[] }>();
  const add = (row: R, declared: object, isUsed: boolean) => {
    const key = JSON.stringify(declared);
    const { uses } = all.get(key) ?? { uses: [] };
    all.set(key, { declared, uses: [...uses, { row, isUsed }] });
  };
  for (const row of rows) {
    const isThere = row.revisions.includes(revision);
    const isFree = !row.needs || (row.free?.includes(revision) ?? false);
    if (row.needs) add(row, row.needs, isThere);
    for (const declared of new Set([less(row.needs), {}])) add(row, declared, isThere && isFree);
  }
  return [...all.values()];
}

const CASES = Object.entries(DOORS).flatMap(([name, door]) =>
  ALL.filter(revision => name !== 'HTTP+SSE' || revision !== MODERN).map(
    revision => [name, revision, door] as const,
  ),
);

describe.each(CASES)('over %s in %s', (_name, revision, door) => {
  // covers: 2026-07-28/prompts/capabilities-are-respected
  it('serves a request only if its feature was declared', async () => {
    for (const { declared, uses } of declarations(REQUESTS, revision)) {
      const peer = await door(createServer(declared), { revision, capabilities: {} });
      for (const { row, isUsed } of uses) {
        const { error } = await peer.request(row.method, row.params);
        // Only an envelope makes this one known, so that is what its error is about.
        const refused = row.method === 'server/discover' ? [-32601, -32602] : [-32601];
        const about = `${row.method} with ${JSON.stringify(declared)}`;
        expect(isUsed ? [undefined] : refused, about).toContain(error?.code);
      }
    }
  });

  it('announces only what was declared, and logs only then', async () => {
    for (const declared of [undefined, ...NOTICES]) {
      const capabilities = declared?.needs ?? {};
      const server = createServer(capabilities);
      const peer = await door(server, { revision, capabilities: {} });
      if (revision !== MODERN) await peer.request('resources/subscribe', { uri: 'note://a' });
      await changeEverything(server);
      await peer.settled();
      expect(peer.seen).toEqual(declared?.revisions.includes(revision) ? [declared.method] : []);
    }
    for (const logging of [{}, undefined]) {
      const peer = await door(createServer({ tools: {}, logging }), { revision, capabilities: {} });
      await peer.request('tools/call', { name: 'plain' });
      expect(peer.seen).toEqual(logging ? ['notifications/message'] : []);
    }
  });

  // covers: 2026-07-28/basic/undeclared-capabilities-are-not-used, 2026-07-28/mrtr/only-declared-questions
  it('asks a question only if the client declared that it answers', async () => {
    for (const { declared, uses } of declarations(QUESTIONS, revision)) {
      const peer = await door(createServer({ tools: {} }), { revision, capabilities: declared });
      for (const { row, isUsed } of uses) {
        const before = peer.seen.length;
        const { result, error } = await peer.request('tools/call', { name: row.tool });
        const about = `${row.tool} with ${JSON.stringify(declared)}`;
        expect(peer.seen.slice(before), about).toEqual(isUsed ? [row.method] : []);
        // In a revision without ping, the request itself shows that the client is there.
        const isRefused = error !== undefined || result.isError === true;
        expect(isRefused, about).toBe(!isUsed && row.method !== 'ping');
      }
    }
  });

  it('takes a notification only if the client declared that it sends it', async () => {
    for (const { declared, uses } of declarations(FROM_CLIENTS, revision)) {
      const heard: string[] = [];
      const peer = await door(createServer({ tools: {} }, heard), { revision, capabilities: declared });
      for (const { row, isUsed } of uses) {
        heard.length = 0;
        await peer.notify(row.method);
        await peer.request('tools/list');
        expect(heard, `${row.method} with ${JSON.stringify(declared)}`).toEqual(isUsed ? [row.method] : []);
      }
    }
  });
});

describe.each(CASES.filter(([, revision]) => revision !== MODERN))(
  'a session over %s in %s',
  (_, revision, door) => {
    it('has no part in features that the server got after the handshake', async () => {
      const server = new Server({ name: 'later', version: '1' });
      const peer = await door(server, { revision, capabilities: {} });
      await changeEverything(server);
      expect((await peer.request('tools/list')).error?.code).toBe(-32601);
      expect((await peer.request('resources/subscribe', { uri: 'note://b' })).error?.code).toBe(-32601);
      await peer.settled();
      expect(peer.seen).toEqual([]);
    });
  },
);

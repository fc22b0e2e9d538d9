import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cancelled } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { ERROR } from '../protocol/errors.js';
import { META } from '../protocol/meta.js';
import { SERVICE } from '../protocol/service.js';
import { Pipe } from './pipe.js';
import { createSeal } from './seal/seal.js';
import { Server } from './server.js';
import { createMemorySingleUse } from './single-use.js';

type Sent = JsonObject & {
  id?: unknown;
  method?: string;
  params?: JsonObject;
  result?: JsonObject;
  error?: JsonObject;
};

const modern = { seal: createSeal(), singleUse: createMemorySingleUse() };
const ENVELOPE = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };

let server: Server;
let sent: Sent[];
let connection: Pipe;
/** Ends the calls of the tool `wait`, which wait for it. */
let finish: () => void;

beforeEach(() => {
  server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  server.tool('greet', {}, (_, ctx) => `Hello ${ctx.revision}`);
  server.tool('wait', {}, async (_, ctx) => {
    const aborted = new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
    await Promise.race([finished, aborted]);
    return ctx.signal.aborted ? 'Aborted' : 'Done';
  });
  server.tool('ask', {}, async (_, ctx) => JSON.stringify(await ctx.roots()));
  connect();
});

afterEach(() => connection.close());

function connect(options: ConstructorParameters<typeof Pipe>[2] = { modern }): void {
  const messages: Sent[] = [];
  sent = messages;
  connection = new Pipe(server[SERVICE], text => messages.push(JSON.parse(text)), options);
}

function receive(message: object): Promise<void> {
  return connection.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

function call(id: string | number, name: string, meta?: object): Promise<void> {
  return receive({ id, method: 'tools/call', params: { name, ...(meta && { _meta: meta }) } });
}

async function initialize(protocolVersion = '2025-11-25', capabilities = {}): Promise<void> {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } };
  await receive({ id: 'init', method: 'initialize', params });
  await receive({ method: 'notifications/initialized' });
  sent.length = 0;
}

function turn(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 1));
}

describe('a connection', () => {
  // covers: 2026-07-28/basic/no-context-from-earlier-requests
  it('serves both eras side by side', async () => {
    await initialize('2025-06-18');
    await Promise.all([call(1, 'greet'), call(2, 'greet', ENVELOPE), call(3, 'greet')]);
    const texts = new Map(
      sent.map(({ id, result }) => [id, (result?.content as { text: string }[] | undefined)?.[0]?.text]),
    );
    expect(texts).toEqual(
      new Map([
        [1, 'Hello 2025-06-18'],
        [2, 'Hello 2026-07-28'],
        [3, 'Hello 2025-06-18'],
      ]),
    );
  });

  it('needs no handshake for requests with an envelope', async () => {
    await receive({ id: 1, method: 'server/discover', params: { _meta: ENVELOPE } });
    expect(sent[0]?.result).toMatchObject({ resultType: 'complete', supportedVersions: expect.any(Array) });
  });

  // covers: 2025-06-18/lifecycle/server-needs-initialization-first
  it('needs a handshake for all others, except a ping', async () => {
    await call(1, 'greet');
    await receive({ id: 2, method: 'ping' });
    expect(sent).toMatchObject([
      { id: 1, error: { code: ERROR.invalidRequest, message: 'send initialize first' } },
      { id: 2, result: {} },
    ]);
  });

  // covers: 2026-07-28/basic/missing-meta-is-refused
  it('needs an envelope after a request that has one, until there is a handshake', async () => {
    await call(1, 'greet', ENVELOPE);
    await call(2, 'greet');
    await receive({ id: 3, method: 'ping' });
    expect(sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: ERROR.invalidParams } },
      { id: 3, result: {} },
    ]);
    await initialize();
    await call(4, 'greet');
    expect(sent).toMatchObject([{ id: 4, result: { content: [{ text: 'Hello 2025-11-25' }] } }]);
  });

  // covers: 2026-07-28/basic/error-has-the-id-of-its-request
  it.each(['ID', 7])('answers a request that is nested too deep under its id %j', async id => {
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
    const params = `"params":{"name":"greet","arguments":{"id":1,"x":${deep}},"_meta":{"id":2}}`;
    const request = `{"jsonrpc":"2.0",${params},"method":"tools/call" , "id" : ${JSON.stringify(id)} }`;
    await connection.receive(request);
    const error = { code: ERROR.invalidRequest, message: 'the message is nested deeper than 256 levels' };
    expect(sent).toEqual([{ jsonrpc: '2.0', id, error }]);
  });

  it.each([
    ['a response', '"id":1,"result":'],
    ['a repeated id', '"id":1,"id":2,"method":"x","params":'],
    ['an unusual id', '"id":1.5,"method":"x","params":'],
    ['no id', '"method":"x","params":'],
  ])('answers nothing under an id if a text that is nested too deep has %s', async (_, members) => {
    await connection.receive(`{"jsonrpc":"2.0",${members}${'['.repeat(300)}${']'.repeat(300)}}`);
    expect(sent).toEqual([
      { jsonrpc: '2.0', error: expect.objectContaining({ code: ERROR.invalidRequest }) },
    ]);
  });

  it('takes one handshake only', async () => {
    await initialize('2025-06-18');
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    await receive({ id: 2, method: 'initialize', params });
    await call(3, 'greet');
    expect(sent).toMatchObject([
      { id: 2, error: { code: ERROR.invalidRequest } },
      { id: 3, result: { content: [{ text: 'Hello 2025-06-18' }] } },
    ]);
  });

  it('offers its newest handshake revision to a client that asks for one it does not know', async () => {
    const params = {
      protocolVersion: '1999-01-01',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    await receive({ id: 1, method: 'initialize', params });
    expect(sent[0]?.result?.protocolVersion).toBe('2025-11-25');
  });

  it('lets middleware ask nothing during the handshake, rather than wait for an answer in vain', async () => {
    const failures: unknown[] = [];
    server.use(async (current, next) => {
      if (current.method === 'initialize') {
        await current.ping().catch(error => failures.push(error));
        await current.ask({ method: 'roots/list' }).catch(error => failures.push(error));
      }
      return next();
    });
    await initialize('2025-11-25', { roots: {} });
    expect(failures).toEqual([expect.any(Cancelled), expect.any(Cancelled)]);
    await call(1, 'greet');
    expect(sent).toMatchObject([{ id: 1, result: { content: [{ text: 'Hello 2025-11-25' }] } }]);
  });

  it('can be limited to the handshake revisions', async () => {
    connect({});
    await receive({ id: 1, method: 'server/discover', params: { _meta: ENVELOPE } });
    expect(sent).toMatchObject([{ id: 1, error: { code: ERROR.invalidRequest } }]);
  });

  it.each([
    ['{', ERROR.parse, undefined],
    ['5', ERROR.invalidRequest, undefined],
    ['{"id":1,"method":"ping"}', ERROR.invalidRequest, 1],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', ERROR.invalidParams, 1],
    ['[]', ERROR.invalidRequest, undefined],
  ])('answers %s with an error and goes on', async (text, code, id) => {
    await initialize();
    await connection.receive(text);
    await call(7, 'greet');
    expect(sent[0]?.error?.code).toBe(code);
    expect(sent[0]?.id).toBe(id);
    expect(sent[1]?.id).toBe(7);
  });

  // covers: 2025-03-26/basic/batches-are-received
  it('takes batches where the revision has them', async () => {
    const batch = [1, 2].map(id => ({ jsonrpc: '2.0', id, method: 'ping' }));
    await initialize('2025-03-26');
    await connection.receive(
      JSON.stringify([...batch, { jsonrpc: '2.0', method: 'notifications/initialized' }]),
    );
    expect(sent).toMatchObject([[{ id: 1 }, { id: 2 }]]);
    await connection.receive('[{"jsonrpc":"2.0","id":3,"method":"ping","params":5}]');
    expect(sent[1]).toMatchObject([{ id: 3, error: { code: ERROR.invalidParams } }]);
    connect();
    await initialize('2025-11-25');
    await connection.receive(JSON.stringify(batch));
    const error = { code: ERROR.invalidRequest };
    expect(sent).toMatchObject([1, 2].map(id => ({ id, error })));
  });
});

describe('a call over a connection', () => {
  // covers: 2026-07-28/cancellation/invalid-cancellation-is-ignored
  // covers: 2026-07-28/cancellation/no-response-after-cancellation
  // covers: 2026-07-28/cancellation/server-stops-work, 2026-07-28/stdio/cancelled-work-stops
  // covers: 2026-07-28/stdio/nothing-after-cancellation
  it.each([
    ['a handshake revision', undefined],
    ['the newest revision', ENVELOPE],
  ])('that is cancelled on %s gets no answer', async (_, meta) => {
    await initialize();
    const done = [call(1, 'wait', meta), call('1', 'wait', meta)];
    await turn();
    await receive({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    await receive({ method: 'notifications/cancelled', params: { requestId: 99 } });
    finish();
    await Promise.all(done);
    expect(sent.map(({ id }) => id)).toEqual(['1']);
  });

  it('may ask the client, whose answer comes as a message of its own', async () => {
    await initialize('2025-11-25', { roots: {} });
    const done = call(1, 'ask');
    await turn();
    const question = sent.shift() as Sent;
    expect(question).toMatchObject({ method: 'roots/list' });
    await receive({ id: question.id, result: { roots: [{ uri: 'file:///work' }] } });
    await done;
    expect(sent).toMatchObject([{ id: 1, result: { content: [{ text: '[{"uri":"file:///work"}]' }] } }]);
  });

  it.each([
    [{ result: null }, 'result must be an object'],
    [{ error: 'x' }, 'error must have an integer code'],
    [{}, 'a message needs a method, or a result or an error'],
  ])('fails with a text for the model if the client answers with %j', async (answer, problem) => {
    await initialize('2025-11-25', { roots: {} });
    const done = call(1, 'ask');
    await turn();
    const question = sent.shift() as Sent;
    await receive({ id: 'another', ...answer });
    await receive({ id: question.id, ...answer });
    await done;
    expect(sent.slice(1)).toEqual([
      { jsonrpc: '2.0', error: { code: ERROR.invalidRequest, message: problem } },
      {
        jsonrpc: '2.0',
        id: 1,
        result: {
          content: [{ type: 'text', text: `the client's answer to roots/list is malformed: ${problem}` }],
          isError: true,
        },
      },
    ]);
  });

  it('is followed by nothing', async () => {
    await initialize();
    let late = () => {};
    server.tool('late', {}, (_, ctx) => {
      ctx.log.error('in time');
      late = () => {
        ctx.log.error('too late');
        ctx.progress(1);
      };
    });
    await turn();
    await call(1, 'late', { progressToken: 1 });
    late();
    await turn();
    expect(sent.filter(({ method }) => method === 'notifications/message')).toHaveLength(1);
    expect(sent.some(({ method }) => method === 'notifications/progress')).toBe(false);
  });
});

describe('changes over a connection', () => {
  // covers: 2026-07-28/basic/notifications-have-a-subscription-id
  it('are told to a client with a handshake, and to each that listens under its own id', async () => {
    await initialize();
    const params = { notifications: { toolsListChanged: true }, _meta: ENVELOPE };
    const listening = [1, 'two'].map(id => receive({ id, method: 'subscriptions/listen', params }));
    await turn();
    sent.length = 0;
    server.tool('pie', {}, () => 'Pie');
    await expect.poll(() => sent.length).toBe(3);
    expect(sent.map(({ method }) => method)).toEqual(Array(3).fill('notifications/tools/list_changed'));
    const ids = sent.map(({ params }) => (params?._meta as JsonObject | undefined)?.[META.subscriptionId]);
    expect(ids).toEqual(expect.arrayContaining([undefined, 1, 'two']));
    await connection.close();
    await Promise.all(listening);
  });
});

describe('the end of a connection', () => {
  // covers: 2026-07-28/cancellation/server-cancels-subscriptions, 2026-07-28/subscriptions/graceful-end
  it('ends listen streams with a notice and a result', async () => {
    const params = { notifications: { toolsListChanged: true }, _meta: ENVELOPE };
    const listening = receive({ id: 7, method: 'subscriptions/listen', params });
    await turn();
    sent.length = 0;
    await connection.close();
    await listening;
    expect(sent).toMatchObject([
      {
        method: 'notifications/cancelled',
        params: { requestId: 7, _meta: { [META.subscriptionId]: 7 } },
      },
      { id: 7, result: { resultType: 'complete', _meta: { [META.subscriptionId]: 7 } } },
    ]);
  });

  // covers: 2026-07-28/cancellation/server-cancels-subscriptions
  it('is not needed to end a listen stream without anything to report in the same way', async () => {
    const params = { notifications: { promptsListChanged: true }, _meta: ENVELOPE };
    await receive({ id: 7, method: 'subscriptions/listen', params });
    expect(sent).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged' },
      { method: 'notifications/cancelled', params: { requestId: 7, reason: 'there is nothing to report' } },
      { id: 7, result: { resultType: 'complete', _meta: { [META.subscriptionId]: 7 } } },
    ]);
  });

  it.each([
    ['a handshake revision', undefined],
    ['the newest revision', ENVELOPE],
  ])('waits for calls of %s, but not for ever', async (_, meta) => {
    await initialize();
    const first = call(1, 'wait', meta);
    await turn();
    const closing = connection.close(1000);
    finish();
    await Promise.all([first, closing]);
    expect(sent).toMatchObject([{ id: 1, result: { content: [{ text: 'Done' }] } }]);
  });

  // covers: 2026-07-28/cancellation/server-cancels-nothing-else
  it.each([
    ['a handshake revision', undefined],
    ['the newest revision', ENVELOPE],
  ])('aborts calls of %s that take too long', async (_, meta) => {
    await initialize();
    const endless = call(1, 'wait', meta);
    await turn();
    await connection.close(10);
    await endless;
    expect(sent).toEqual([]);
  });

  it('ends questions that nobody will answer', async () => {
    await initialize('2025-11-25', { roots: {} });
    const asking = call(1, 'ask');
    await turn();
    await connection.close(1000);
    await asking;
    expect(sent.at(-1)).toMatchObject({ id: 1, result: { isError: true } });
  });
});

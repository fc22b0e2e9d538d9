import { TASKS_ID } from '../../src/server/tasks/index.js';
import { ERROR, META } from '../../src/vocabulary/index.js';
import {
  type Attack,
  type Attacker,
  type Begin,
  inBatches,
  inOneSession,
  inSessions,
  leaving,
  sending,
} from './attacker.js';
import { answerOf, EventStream, INITIALIZE, legacy, modern, post } from './messages.js';
import { type RawRequest, requestBytes } from './raw-http.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const LOGS = { [META.logLevel]: 'debug' };
const KNOWS_TASKS = {
  [META.clientCapabilities]: { elicitation: {}, extensions: { [TASKS_ID]: {} } },
};
const LONG = 'x'.repeat(3.9 * MiB);
/** As many small objects as a message may have. */
const WIDE = Array.from({ length: 49_000 }, () => ({}));
const DEEP = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
const LONG_URIS = Array.from({ length: 15 }, (_, n) => `menu://${n}${'x'.repeat(4080)}`);

const call = (name: string, args: object = {}) => ({ name, arguments: args });
const callModern = (...args: Parameters<typeof call>) => modern('tools/call', call(...args));
const callIn = (session: string, ...args: Parameters<typeof call>) =>
  legacy(session, 'tools/call', call(...args));
const callTask = (...args: Parameters<typeof call>) =>
  modern('tools/call', call(...args), { meta: KNOWS_TASKS });
/** A request about a task, or about several. */
const aboutTasks = (method: string, params: object) => modern(method, params, { meta: KNOWS_TASKS });

/** As many headers as fit, in a request to `listen` or in any. */
const headers = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'x'.repeat(length)]));
const HEADERS = headers(150, 80);
const get = (session: string, more: object = {}): RawRequest => ({
  method: 'GET',
  headers: { 'mcp-session-id': session, accept: 'text/event-stream', ...more },
});
/** The head of a POST, whose body does not fit to it. */
const head = (more: Record<string, string>, body = ''): RawRequest => {
  const request = post(body);
  return { ...request, headers: { ...request.headers, ...more } };
};
const CHUNKED = requestBytes({ headers: { ...post('').headers, 'transfer-encoding': 'chunked' } });
const repeated = (times: number, ...requests: RawRequest[]) =>
  Buffer.concat(Array(times).fill(requests.map(requestBytes)).flat());

/** What was tried. Each is bounded in time and number. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'questions of one session with large arguments': {
    times: 16,
    begin: inOneSession(session => callIn(session, 'ask', { LONG })),
  },
  'questions of many sessions with large arguments': {
    times: 16,
    begin: inSessions(session => callIn(session, 'ask', { LONG })),
  },
  'questions whose clients leave': {
    times: 16,
    begin: attacker => async () =>
      (await attacker.send(callIn(await attacker.session(), 'ask', { LONG }))).destroy(),
  },
  'calls that never end, with arguments of many small objects': {
    times: 8,
    begin: sending(callModern('hang', { WIDE, DEEP })),
  },
  'batches of questions': {
    times: 3,
    begin: inBatches(() => callMessage('hang', { text: LONG.slice(0, 38 * KiB) })),
  },
  'sessions with long subscriptions': {
    times: 10,
    begin: attacker => async () => {
      const session = await attacker.session(undefined, {});
      const subscribe = (uri: string) => attacker.exchange(legacy(session, 'resources/subscribe', { uri }));
      await Promise.all(LONG_URIS.map(subscribe));
    },
  },
  'sessions with large capabilities': {
    times: 50,
    begin: attacker => {
      const experimental = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`a${n}`, {}]));
      return () => attacker.session(undefined, { experimental });
    },
  },
  'listen streams with long filters': {
    times: 50,
    begin: sending(
      modern('subscriptions/listen', {
        notifications: { resourceSubscriptions: LONG_URIS },
        junk: 'x'.repeat(100 * KiB),
      }),
    ),
  },
  'streams for notifications': { times: 4, begin: openingStreams({}) },
  'streams for notifications with many headers': { times: 6, begin: openingStreams(HEADERS) },
  'pipelined calls whose answers are not read': {
    times: 4,
    begin: attacker => n => attacker.send(repeated(150, callModern(n % 2 ? 'big' : 'big-soon'))),
  },
  'streams that are not read': {
    times: 6,
    begin: sending(modern('tools/call', call('flood'), { meta: LOGS })),
  },
  'streams that are left, and kept for their clients': {
    times: 10,
    begin: async attacker => {
      const session = await attacker.session();
      return async () => (await attacker.send(callIn(session, 'flood'))).destroy();
    },
  },
  'bodies that stop before their end': {
    times: 16,
    begin: sending(head({ 'content-length': String(4 * MiB) }), Buffer.alloc(3.9 * MiB, ' ')),
  },
  'clients of the old transport that never read': {
    times: 3,
    begin: attacker => async () => {
      const path = await openOldStream(attacker);
      const message = (more: object) => ({ ...post({ jsonrpc: '2.0', ...more }), path });
      await attacker.exchange(message({ id: 0, method: 'initialize', params: INITIALIZE }));
      for (let id = 1; id <= 40; id++) await attacker.exchange(message({ id, ...callMessage('big-soon') }));
    },
  },
  'calls that never end, with many headers': {
    times: 100,
    begin: sending(modern('tools/call', call('hang'), { headers: HEADERS })),
  },
  'pipelined requests with many headers behind a call that never ends': {
    times: 20,
    begin: sending(
      callModern('hang'),
      ...Array<RawRequest>(40).fill({ method: 'GET', path: '/unknown', headers: HEADERS }),
    ),
  },
  'pipelined calls with small answers behind a call that never ends': {
    times: 100,
    begin: sending(
      Buffer.concat([
        requestBytes(callModern('hang')),
        repeated(6, callModern('echo', { value: LONG.slice(0, 15 * KiB) })),
      ]),
    ),
  },
  'bodies that stop after their first bytes, behind another request': {
    times: 50,
    begin: sending(
      repeated(
        1,
        callModern('echo', { value: LONG.slice(0, 50 * KiB) }),
        head({ 'content-length': '10000' }, ' '),
      ),
    ),
  },
  'pipelined calls whose client leaves': {
    times: 5,
    begin: leaving(...Array<RawRequest>(20).fill(callModern('hang', { text: LONG.slice(0, 500 * KiB) }))),
  },
  'first bytes of bodies, after many headers': {
    times: 200,
    begin: sending(head({ ...HEADERS, 'content-length': '100' }, ' ')),
  },
  'idle connections after a request with many headers': {
    times: 200,
    begin: sending(modern('tools/call', call('echo', { value: 1 }), { headers: HEADERS })),
  },
  'heads that do not end': {
    times: 400,
    begin: sending(requestBytes({ headers: headers(1500, 1) }).subarray(0, -2)),
  },
  'large answers to calls that ask again': {
    times: 16,
    begin: attacker => async () => {
      const session = await attacker.session();
      const stream = await EventStream.open(attacker.port, callIn(session, 'ask-twice'));
      const { id } = await stream.next();
      const result = { action: 'accept', content: { LONG } };
      await attacker.exchange(post({ jsonrpc: '2.0', id, result }, { 'mcp-session-id': session }));
      stream.connection.destroy();
    },
  },
  'batches of one large call and many small ones': {
    times: 16,
    begin: inBatches(id => (id === 0 ? callMessage('hang', { LONG }) : { method: 'ping' })),
  },
  'batches whose answers are large': {
    times: 2,
    begin: inBatches((_, batch) => callMessage(batch % 2 ? 'big' : 'big-soon')),
  },
  'batches of large answers that wait for a call that never ends': {
    times: 2,
    begin: inBatches(id => callMessage(id === 99 ? 'hang' : 'big-soon')),
  },
  'batches of large answers to no question': {
    times: 8,
    begin: inBatches(() => ({ result: { text: LONG.slice(0, 38 * KiB) } })),
  },
  'batches of subscriptions': {
    times: 8,
    begin: inBatches((id, batch) => ({
      method: 'resources/subscribe',
      params: { uri: `menu://${batch}/${id}${'x'.repeat(600)}` },
    })),
  },
  'small calls that never end, from a few addresses': {
    times: 600,
    othersFrom: '127.0.0.9',
    begin: attacker => {
      const bytes = requestBytes(callModern('hang'));
      return n => attacker.sendFrom(`127.0.0.${2 + (n % 4)}`, bytes);
    },
  },
  'calls that go on after their client has left': {
    times: 16,
    begin: leaving(callModern('slow', { LONG })),
  },
  'calls that never end after their client has left': {
    times: 16,
    begin: leaving(callModern('never', { LONG })),
  },
  'notifications whose handlers ask': {
    times: 20,
    begin: async attacker => {
      const session = await attacker.session(undefined, { roots: { listChanged: true } });
      await attacker.send(get(session));
      const message = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
      const bytes = repeated(500, post(message, { 'mcp-session-id': session }));
      const connection = await attacker.open();
      connection.socket.resume();
      return () => connection.deliver(bytes);
    },
  },
  'streams that are resumed again and again': {
    times: 30,
    begin: async attacker => {
      const session = await attacker.session();
      const stream = await EventStream.open(attacker.port, callIn(session, 'flood'));
      const id = (await stream.nextEvent())?.id as string;
      stream.connection.destroy();
      return () => attacker.send(get(session, { 'last-event-id': id }));
    },
  },
  'streams that are resumed after an event that never was': {
    times: 60,
    begin: inOneSession(session => get(session, { 'last-event-id': 'x'.repeat(8 * KiB) })),
  },
  'requests that expect to be told to continue': {
    times: 400,
    begin: sending(head({ expect: '100-continue', 'content-length': '1000' })),
  },
  'ends of sessions with a body that never comes': {
    times: 400,
    begin: inOneSession(session => ({
      method: 'DELETE',
      headers: { 'mcp-session-id': session, 'content-length': '1000' },
    })),
  },
  'trailers that do not end': {
    times: 200,
    begin: sending(
      CHUNKED,
      Buffer.from(`2\r\n{}\r\n0\r\n${Array.from({ length: 1500 }, (_, n) => `a${n}: \r\n`).join('')}`),
    ),
  },
  'requests for another protocol': {
    times: 200,
    begin: attacker => {
      const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      return async () => {
        await attacker.send({ method: 'GET', headers: upgrade });
        await attacker.send({ method: 'CONNECT', path: 'localhost:80' });
      };
    },
  },
  'chunks of one byte': { times: 2, begin: sending(CHUNKED, Buffer.from('1\r\n \r\n'.repeat(50_000))) },
  'connections without a request': { times: 100, begin: attacker => () => attacker.open() },
  'reads of large pages and files that are not read': {
    times: 4,
    begin: attacker => n =>
      attacker.send(
        repeated(150, modern('resources/read', { uri: n % 2 ? 'skill://big/SKILL.md' : 'ui://page' })),
      ),
  },
  'tasks that never end, with large arguments': {
    times: 16,
    begin: sending(callTask('work', { LONG })),
  },
  'tasks that never end, with arguments of many small objects': {
    times: 16,
    begin: sending(callTask('work', { WIDE, DEEP })),
  },
  'calls that become tasks, with large arguments': {
    times: 16,
    begin: sending(callTask('work-later', { LONG })),
  },
  'calls that become tasks, with arguments of many small objects': {
    times: 16,
    begin: sending(callTask('work-later', { WIDE, DEEP })),
  },
  'small tasks that never end': { times: 100, begin: sending(callTask('work')) },
  'small calls that become tasks': { times: 100, begin: sending(callTask('work-later')) },
  'tasks with large results': { times: 40, begin: sending(callTask('work-big')) },
  'tasks with long statuses': {
    times: 20,
    begin: sending(callTask('work-status', { text: LONG.slice(0, 100 * KiB) })),
  },
  'large answers to tasks that ask again': {
    times: 2,
    begin: attacker => async () => {
      const taskId = await openTask(attacker, 'work-asking');
      const [question] = await questionsOf(attacker, taskId);
      const inputResponses = { [question as string]: { action: 'accept', content: { LONG } } };
      await attacker.exchange(aboutTasks('tasks/update', { taskId, inputResponses }));
    },
  },
  'thousands of requests for a large task': {
    times: 1,
    begin: async attacker => {
      const taskId = await openTask(attacker, 'work', { LONG });
      const polls = Array<RawRequest>(1000).fill(aboutTasks('tasks/get', { taskId }));
      return () => attacker.exchangeAll(polls);
    },
  },
  'thousands of requests for unknown tasks': {
    times: 1,
    begin: attacker => () =>
      attacker.exchangeAll(
        Array.from({ length: 1000 }, () => aboutTasks('tasks/get', { taskId: crypto.randomUUID() })),
      ),
  },
  'tasks that are created and cancelled': {
    times: 4,
    begin: attacker => async () =>
      attacker.exchange(aboutTasks('tasks/cancel', { taskId: await openTask(attacker, 'work', { LONG }) })),
  },
  'listen streams about many tasks': {
    times: 20,
    begin: async attacker => {
      const taskId = await openTask(attacker, 'work', { LONG });
      const taskIds = Array.from({ length: 1000 }, (_, n) => (n % 2 ? taskId : crypto.randomUUID()));
      const bytes = requestBytes(aboutTasks('subscriptions/listen', { notifications: { taskIds } }));
      return () => attacker.send(bytes);
    },
  },
  'requests for the results of tasks that never end': {
    times: 100,
    begin: async attacker => {
      const session = await attacker.session();
      const taskId = await openTask(attacker, 'work', { LONG });
      const bytes = requestBytes(legacy(session, 'tasks/result', { taskId }));
      return () => attacker.send(bytes);
    },
  },
  'calls that become tasks, and do not stop': {
    times: 16,
    begin: sending(callTask('never-later', { LONG })),
  },
};

function callMessage(...args: Parameters<typeof call>) {
  return { method: 'tools/call', params: call(...args) };
}

/** Opens as many streams for notifications as a session may have, in a new session each time. */
function openingStreams(more: object): Begin {
  return attacker => async () => {
    const session = await attacker.session();
    for (let streams = 0; streams < 16; streams++) await attacker.send(get(session, more));
  };
}

/** Creates a task, and returns its id; that of none if the server has no memory for it. */
async function openTask(attacker: Attacker, name: string, args: object = {}): Promise<string> {
  const response = await attacker.exchange(callTask(name, args));
  return (response && answerOf(response).result?.taskId) ?? crypto.randomUUID();
}

/** The keys of the questions of a task, once there are some; none if it was forgotten. */
async function questionsOf(attacker: Attacker, taskId: string): Promise<string[]> {
  for (;;) {
    const response = await attacker.exchange(aboutTasks('tasks/get', { taskId }));
    const { result, error } = response ? answerOf(response) : { error: {} };
    if (result?.inputRequests) return Object.keys(result.inputRequests);
    if (error && error.code !== ERROR.busy) return [];
  }
}

/** Opens a stream of the old transport, and returns the path for its messages. */
async function openOldStream(attacker: Attacker): Promise<string> {
  const stream = await attacker.open();
  stream.socket.resume();
  stream.send(requestBytes({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }));
  let text = '';
  for await (const piece of stream.body(await stream.head())) {
    text += piece.toString();
    if (text.includes('\n\n')) break;
  }
  stream.socket.pause();
  return /data: (.+)/.exec(text)?.[1] as string;
}

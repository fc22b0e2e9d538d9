import { ENVELOPE, EventStream, INITIALIZE, legacy, modern, openSession, post } from './messages.js';
import { exchange, RawConnection, type RawRequest, requestBytes } from './raw-http.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const LOGS = { 'io.modelcontextprotocol/logLevel': 'debug' };
const ASKABLE = { ...INITIALIZE, capabilities: { elicitation: {} } };
const LONG = 'x'.repeat(3.9 * MiB);
/** As many small objects as a message may have. */
const WIDE = Array.from({ length: 200_000 }, () => ({}));
const DEEP = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);

/** One way to fill the memory of a server. It leaves its connections open. */
export interface Attack {
  /** How often it is repeated every day. */
  readonly times: number;
  run(attacker: Attacker, times: number): Promise<void>;
}

/** Opens connections, sends, and reads nothing. */
export class Attacker {
  readonly port: number;
  readonly #connections: RawConnection[] = [];

  constructor(port: number) {
    this.port = port;
  }

  async open(localAddress?: string): Promise<RawConnection> {
    const connection = await RawConnection.open(this.port, '127.0.0.1', localAddress);
    connection.socket.pause();
    this.#connections.push(connection);
    return connection;
  }

  /** Sends something over a connection of its own. */
  async send(...requests: (RawRequest | Buffer)[]): Promise<RawConnection> {
    const connection = await this.open();
    for (const request of requests)
      await connection.deliver(Buffer.isBuffer(request) ? request : requestBytes(request));
    return connection;
  }

  /** Sends something over a connection of its own that comes from another address of this machine. */
  async sendFrom(address: string, bytes: Buffer): Promise<void> {
    const connection = await this.open(address);
    await connection.deliver(bytes);
  }

  /** Opens a session whose client can be asked. */
  async session(
    protocolVersion = '2025-11-25',
    capabilities: object = ASKABLE.capabilities,
  ): Promise<string> {
    const params = { ...ASKABLE, protocolVersion, capabilities };
    const response = await exchange(this.port, post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    const session = response.headers.get('mcp-session-id') ?? '';
    const headers = { 'mcp-session-id': session };
    await exchange(this.port, post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
    return session;
  }

  end(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

const call = (name: string, args: object = {}) => ({ name, arguments: args });
/** As many headers as fit, in a request to `listen` or in any. */
const headers = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'x'.repeat(length)]));
const HEADERS = headers(150, 80);
const get = (session: string) => ({
  method: 'GET',
  headers: { 'mcp-session-id': session, accept: 'text/event-stream' },
});

/** What was tried. Each is bounded in time and number. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'questions of one session with large arguments': {
    times: 16,
    async run(attacker, times) {
      const session = await attacker.session();
      const bytes = requestBytes(legacy(session, 'tools/call', call('ask', { LONG })));
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'questions of many sessions with large arguments': {
    times: 16,
    async run(attacker, times) {
      for (let n = 0; n < times; n++)
        await attacker.send(legacy(await attacker.session(), 'tools/call', call('ask', { LONG })));
    },
  },
  'questions whose clients leave': {
    times: 16,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const ask = legacy(await attacker.session(), 'tools/call', call('ask', { LONG }));
        (await attacker.send(ask)).destroy();
      }
    },
  },
  'calls that never end, with arguments of many small objects': {
    times: 8,
    async run(attacker, times) {
      const bytes = requestBytes(modern('tools/call', call('hang', { WIDE, DEEP })));
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'batches of questions': {
    times: 3,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const session = await attacker.session('2025-03-26', {});
        const text = LONG.slice(0, 38 * KiB);
        const batch = Array.from({ length: 100 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: call('hang', { text }),
        }));
        await attacker.send(post(batch, { 'mcp-session-id': session }));
      }
    },
  },
  'sessions with long subscriptions': {
    times: 10,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const session = await openSession(attacker.port);
        const subscribe = (_: unknown, at: number) =>
          exchange(
            attacker.port,
            legacy(session, 'resources/subscribe', { uri: `menu://${at}${'x'.repeat(4080)}` }),
          );
        await Promise.all(Array.from({ length: 15 }, subscribe));
      }
    },
  },
  'sessions with large capabilities': {
    times: 50,
    async run(attacker, times) {
      const experimental = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`a${n}`, {}]));
      for (let n = 0; n < times; n++) await attacker.session('2025-11-25', { experimental });
    },
  },
  'listen streams with long filters': {
    times: 50,
    async run(attacker, times) {
      const uris = Array.from({ length: 15 }, (_, n) => `menu://${n}${'x'.repeat(4080)}`);
      const filter = { notifications: { resourceSubscriptions: uris }, junk: 'x'.repeat(100 * KiB) };
      const bytes = requestBytes(modern('subscriptions/listen', filter));
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'streams for notifications': {
    times: 64,
    async run(attacker, times) {
      let session = '';
      for (let n = 0; n < times; n++) {
        if (n % 16 === 0) session = await attacker.session();
        await attacker.send(get(session));
      }
    },
  },
  'pipelined calls whose answers are not read': {
    times: 2,
    async run(attacker, times) {
      const bytes = Buffer.concat(Array(150).fill(requestBytes(modern('tools/call', call('big')))));
      const later = Buffer.concat(Array(150).fill(requestBytes(modern('tools/call', call('big-soon')))));
      for (let n = 0; n < times; n++) {
        await attacker.send(bytes);
        await attacker.send(later);
      }
    },
  },
  'streams that are not read': {
    times: 6,
    async run(attacker, times) {
      for (let n = 0; n < times; n++)
        await attacker.send(modern('tools/call', call('flood'), { meta: LOGS }));
    },
  },
  'streams that are left, and kept for their clients': {
    times: 10,
    async run(attacker, times) {
      const session = await attacker.session();
      for (let n = 0; n < times; n++) {
        const left = await attacker.send(legacy(session, 'tools/call', call('flood')));
        left.destroy();
      }
    },
  },
  'bodies that stop before their end': {
    times: 16,
    async run(attacker, times) {
      const head = requestBytes({
        ...post(''),
        headers: { ...post('').headers, 'content-length': String(4 * MiB) },
      });
      const body = Buffer.alloc(3.9 * MiB, ' ');
      for (let n = 0; n < times; n++) await attacker.send(head, body);
    },
  },
  'clients of the old transport that never read': {
    times: 3,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const stream = await RawConnection.open(attacker.port);
        stream.send(requestBytes({ method: 'GET', path: '/sse', headers: { accept: 'text/event-stream' } }));
        const head = await stream.head();
        let text = '';
        for await (const piece of stream.body(head)) {
          text += piece.toString();
          if (text.includes('\n\n')) break;
        }
        stream.socket.pause();
        const path = /data: (.+)/.exec(text)?.[1] as string;
        const message = (more: object) => ({ ...post({ jsonrpc: '2.0', ...more }), path });
        await exchange(attacker.port, message({ id: 0, method: 'initialize', params: INITIALIZE }));
        for (let id = 1; id <= 40; id++)
          await exchange(attacker.port, message({ id, method: 'tools/call', params: call('big-soon') }));
      }
    },
  },
  'calls that never end, with many headers': {
    times: 100,
    async run(attacker, times) {
      const bytes = requestBytes(modern('tools/call', call('hang'), { headers: HEADERS }));
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'pipelined requests with many headers behind a call that never ends': {
    times: 20,
    async run(attacker, times) {
      const hang = requestBytes(modern('tools/call', call('hang')));
      const unknown = requestBytes({ method: 'GET', path: '/unknown', headers: HEADERS });
      for (let n = 0; n < times; n++) await attacker.send(hang, ...Array(40).fill(unknown));
    },
  },
  'pipelined calls with small answers behind a call that never ends': {
    times: 100,
    async run(attacker, times) {
      const hang = requestBytes(modern('tools/call', call('hang')));
      const small = requestBytes(modern('tools/call', call('echo', { value: LONG.slice(0, 15 * KiB) })));
      const bytes = Buffer.concat([hang, ...Array(6).fill(small)]);
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'bodies that stop after their first bytes, behind another request': {
    times: 50,
    async run(attacker, times) {
      const whole = requestBytes(modern('tools/call', call('echo', { value: LONG.slice(0, 50 * KiB) })));
      const begun = requestBytes({
        ...post(' '),
        headers: { ...post('').headers, 'content-length': '10000' },
      });
      for (let n = 0; n < times; n++) await attacker.send(Buffer.concat([whole, begun]));
    },
  },
  'pipelined calls whose client leaves': {
    times: 5,
    async run(attacker, times) {
      const bytes = requestBytes(modern('tools/call', call('hang', { text: LONG.slice(0, 500 * KiB) })));
      for (let n = 0; n < times; n++) {
        const connection = await attacker.send(...Array(20).fill(bytes));
        // It leaves when the server has seen the last of them.
        await exchange(attacker.port, modern('tools/call', call('echo', { value: 1 })));
        connection.destroy();
      }
    },
  },
  'streams for notifications with many headers': {
    times: 100,
    async run(attacker, times) {
      let session = '';
      for (let n = 0; n < times; n++) {
        if (n % 16 === 0) session = await attacker.session();
        const { method, headers } = get(session);
        await attacker.send({ method, headers: { ...headers, ...HEADERS } });
      }
    },
  },
  'first bytes of bodies, after many headers': {
    times: 200,
    async run(attacker, times) {
      const headers = { ...post('').headers, ...HEADERS, 'content-length': '100' };
      for (let n = 0; n < times; n++) await attacker.send({ ...post(' '), headers });
    },
  },
  'idle connections after a request with many headers': {
    times: 200,
    async run(attacker, times) {
      const bytes = requestBytes(modern('tools/call', call('echo', { value: 1 }), { headers: HEADERS }));
      for (let n = 0; n < times; n++) await attacker.send(bytes);
    },
  },
  'heads that do not end': {
    times: 400,
    async run(attacker, times) {
      const head = requestBytes({ headers: headers(1500, 1) }).subarray(0, -2);
      for (let n = 0; n < times; n++) await attacker.send(head);
    },
  },
  'large answers to calls that ask again': {
    times: 16,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const session = await attacker.session();
        const stream = await EventStream.open(
          attacker.port,
          legacy(session, 'tools/call', call('ask-twice')),
        );
        const { id } = await stream.next();
        const result = { action: 'accept', content: { LONG } };
        await exchange(attacker.port, post({ jsonrpc: '2.0', id, result }, { 'mcp-session-id': session }));
        stream.connection.destroy();
      }
    },
  },
  'batches of one large call and many small ones': {
    times: 16,
    async run(attacker, times) {
      const ping = (_: unknown, id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
      const large = { jsonrpc: '2.0', id: 'large', method: 'tools/call', params: call('hang', { LONG }) };
      for (let n = 0; n < times; n++) {
        const session = await attacker.session('2025-03-26', {});
        const batch = [large, ...Array.from({ length: 99 }, ping)];
        await attacker.send(post(batch, { 'mcp-session-id': session }));
      }
    },
  },
  'batches whose answers are large': {
    times: 2,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const session = await attacker.session('2025-03-26', {});
        const batch = Array.from({ length: 100 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: call(n % 2 ? 'big' : 'big-soon'),
        }));
        await attacker.send(post(batch, { 'mcp-session-id': session }));
      }
    },
  },
  'batches of large answers that wait for a call that never ends': {
    times: 2,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) {
        const session = await attacker.session('2025-03-26', {});
        const batch = Array.from({ length: 100 }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: call(id === 99 ? 'hang' : 'big-soon'),
        }));
        await attacker.send(post(batch, { 'mcp-session-id': session }));
      }
    },
  },
  'small calls that never end, from a few addresses': {
    times: 600,
    async run(attacker, times) {
      const bytes = requestBytes(modern('tools/call', call('hang')));
      for (let n = 0; n < times; n++) await attacker.sendFrom(`127.0.0.${2 + (n % 4)}`, bytes);
    },
  },
  'calls that go on after their client has left': {
    times: 16,
    async run(attacker, times) {
      for (let n = 0; n < times; n++)
        await callAndLeave(attacker, modern('tools/call', call('slow', { LONG })));
    },
  },
  'calls that never end after their client has left': {
    times: 16,
    async run(attacker, times) {
      for (let n = 0; n < times; n++)
        await callAndLeave(attacker, modern('tools/call', call('never', { LONG })));
    },
  },
  'notifications whose handlers ask': {
    times: 20,
    async run(attacker, times) {
      const session = await attacker.session('2025-11-25', { roots: { listChanged: true } });
      await attacker.send(get(session));
      const message = { jsonrpc: '2.0', method: 'notifications/roots/list_changed' };
      const bytes = requestBytes(post(message, { 'mcp-session-id': session }));
      const connection = await attacker.open();
      connection.socket.resume();
      for (let n = 0; n < times; n++) await connection.deliver(Buffer.concat(Array(500).fill(bytes)));
    },
  },
  'streams that are resumed again and again': {
    times: 30,
    async run(attacker, times) {
      const session = await attacker.session();
      const stream = await EventStream.open(attacker.port, legacy(session, 'tools/call', call('flood')));
      const id = (await stream.nextEvent())?.id as string;
      stream.connection.destroy();
      const { method, headers } = get(session);
      const resume = { method, headers: { ...headers, 'last-event-id': id } };
      for (let n = 0; n < times; n++) await attacker.send(resume);
    },
  },
  'requests that expect to be told to continue': {
    times: 400,
    async run(attacker, times) {
      const headers = { ...post('').headers, expect: '100-continue', 'content-length': '1000' };
      for (let n = 0; n < times; n++) await attacker.send({ headers });
    },
  },
  'ends of sessions with a body that never comes': {
    times: 400,
    async run(attacker, times) {
      const session = await attacker.session();
      const headers = { 'mcp-session-id': session, 'content-length': '1000' };
      for (let n = 0; n < times; n++) await attacker.send({ method: 'DELETE', headers });
    },
  },
  'trailers that do not end': {
    times: 200,
    async run(attacker, times) {
      const { headers } = post('');
      const head = requestBytes({ headers: { ...headers, 'transfer-encoding': 'chunked' } });
      const trailers = Array.from({ length: 1500 }, (_, n) => `a${n}: \r\n`).join('');
      const rest = Buffer.from(`2\r\n{}\r\n0\r\n${trailers}`);
      for (let n = 0; n < times; n++) await attacker.send(head, rest);
    },
  },
  'requests for another protocol': {
    times: 200,
    async run(attacker, times) {
      const headers = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
      for (let n = 0; n < times; n++) {
        await attacker.send({ method: 'GET', headers });
        await attacker.send({ method: 'CONNECT', path: 'localhost:80' });
      }
    },
  },
  'chunks of one byte': {
    times: 2,
    async run(attacker, times) {
      const { headers } = post('');
      const head = requestBytes({ headers: { ...headers, 'transfer-encoding': 'chunked' } });
      for (let n = 0; n < times; n++) await attacker.send(head, Buffer.from('1\r\n \r\n'.repeat(50_000)));
    },
  },
  'connections without a request': {
    times: 100,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) await attacker.open();
    },
  },
};

/** Calls a tool, and leaves when the server has taken the call. */
async function callAndLeave(attacker: Attacker, request: RawRequest): Promise<void> {
  const connection = await attacker.send(request);
  await exchange(attacker.port, modern('tools/call', call('echo', { value: 1 })));
  connection.destroy();
}

/** Lines for a server on standard input whose answers nobody reads. */
export function greedyLines(era: string, count: number): string[] {
  const meta = era === 'modern' ? { _meta: ENVELOPE } : {};
  return Array.from({ length: count }, (_, id) => {
    const params = { ...call(id % 2 ? 'big' : 'big-soon'), ...meta };
    return `${JSON.stringify({ jsonrpc: '2.0', id: `greedy ${id}`, method: 'tools/call', params })}\n`;
  });
}

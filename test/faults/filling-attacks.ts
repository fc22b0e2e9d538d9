import { ENVELOPE, INITIALIZE, legacy, modern, openSession, post } from './messages.js';
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

  async open(): Promise<RawConnection> {
    const connection = await RawConnection.open(this.port);
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
  'connections without a request': {
    times: 100,
    async run(attacker, times) {
      for (let n = 0; n < times; n++) await attacker.open();
    },
  },
};

/** Lines for a server on standard input whose answers nobody reads. */
export function greedyLines(era: string, count: number): string[] {
  const meta = era === 'modern' ? { _meta: ENVELOPE } : {};
  return Array.from({ length: count }, (_, id) => {
    const params = { ...call(id % 2 ? 'big' : 'big-soon'), ...meta };
    return `${JSON.stringify({ jsonrpc: '2.0', id: `greedy ${id}`, method: 'tools/call', params })}\n`;
  });
}

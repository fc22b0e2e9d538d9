import { INITIALIZE, LEGACY, modern, post } from './messages.js';
import {
  ConnectionEnded,
  exchange,
  RawConnection,
  type RawRequest,
  type RawResponse,
  requestBytes,
} from './raw-http.js';

/** One way to fill the memory of a server, or to keep it busy. It leaves its connections open. */
export interface Attack {
  /** How often it is repeated every day. */
  readonly times: number;
  /** Where the other clients connect from, if these are safe only because they have another address. */
  readonly othersFrom?: string;
  /** Prepares the attack, and returns what is repeated. */
  readonly begin: Begin;
}

export type Begin = (attacker: Attacker) => Step | Promise<Step>;
type Step = (number: number) => Promise<unknown>;
type Sendable = RawRequest | Buffer;

/** Opens connections, sends, and reads nothing. */
export class Attacker {
  readonly #ports: readonly number[];
  readonly #connections: RawConnection[] = [];
  #turn = 0;

  /** Several ports are those of the nodes of one server. */
  constructor(...ports: number[]) {
    this.#ports = ports;
  }

  async run({ times, begin }: Attack, factor: number): Promise<void> {
    const step = await begin(this);
    for (let number = 0; number < times * factor; number++) await step(number);
  }

  /** The nodes take turns. */
  get port(): number {
    return this.#ports[this.#turn++ % this.#ports.length] as number;
  }

  async open(localAddress?: string): Promise<RawConnection> {
    const connection = await RawConnection.open(this.port, '127.0.0.1', localAddress);
    connection.socket.pause();
    this.#connections.push(connection);
    return connection;
  }

  /** Sends something over a connection of its own. */
  async send(...requests: Sendable[]): Promise<RawConnection> {
    const connection = await this.open();
    for (const request of requests) await connection.deliver(bytesOf(request));
    return connection;
  }

  /** Sends something over a connection of its own that comes from another address of this machine. */
  async sendFrom(address: string, bytes: Buffer): Promise<void> {
    const connection = await this.open(address);
    await connection.deliver(bytes);
  }

  /** Sends requests over a connection of its own, one behind the other, and reads all responses. */
  async exchangeAll(requests: readonly RawRequest[]): Promise<void> {
    const connection = await RawConnection.open(this.port);
    connection.send(Buffer.concat(requests.map(requestBytes)));
    for (let left = requests.length; left > 0; left--) await connection.response().catch(ignoreEnd);
    connection.destroy();
  }

  /** Sends a request and reads the response; undefined if the server, which may be full, hangs up instead. */
  exchange(request: RawRequest): Promise<RawResponse | undefined> {
    return exchange(this.port, request).catch(ignoreEnd);
  }

  /** Opens a session whose client can be asked. */
  async session(protocolVersion = LEGACY, capabilities: object = { elicitation: {} }): Promise<string> {
    const params = { ...INITIALIZE, protocolVersion, capabilities };
    const response = await this.exchange(post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    const session = response?.headers.get('mcp-session-id') ?? '';
    const headers = { 'mcp-session-id': session };
    await this.exchange(post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
    return session;
  }

  end(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

function ignoreEnd(thrown: unknown): undefined {
  if (!(thrown instanceof ConnectionEnded)) throw thrown;
}

function bytesOf(request: Sendable): Buffer {
  return Buffer.isBuffer(request) ? request : requestBytes(request);
}

/** Sends the same again and again, over new connections. */
export function sending(...requests: Sendable[]): Begin {
  return attacker => {
    const all = requests.map(bytesOf);
    return () => attacker.send(...all);
  };
}

/** Sends the same again and again, over new connections, in one session. */
export function inOneSession(request: (session: string) => Sendable): Begin {
  return async attacker => {
    const bytes = bytesOf(request(await attacker.session()));
    return () => attacker.send(bytes);
  };
}

/** Sends a request in a new session each time. */
export function inSessions(
  request: (session: string, number: number) => Sendable,
  ...options: Parameters<Attacker['session']>
): Begin {
  return attacker => async number => attacker.send(request(await attacker.session(...options), number));
}

/** Sends 100 calls as a batch, each time in a new session of the revision that has batches. */
export function inBatches(message: (id: number, batch: number) => object): Begin {
  const batchOf = (batch: number) =>
    Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, ...message(id, batch) }));
  return inSessions(
    (session, batch) => post(batchOf(batch), { 'mcp-session-id': session }),
    '2025-03-26',
    {},
  );
}

/** Sends requests over a connection of its own, and leaves when the server has taken the last of them. */
export function leaving(...requests: RawRequest[]): Begin {
  return attacker => {
    const all = requests.map(bytesOf);
    return async () => {
      const connection = await attacker.send(...all);
      await attacker.exchange(modern('server/discover'));
      connection.destroy();
    };
  };
}

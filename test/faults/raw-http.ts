import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Head {
  status: number;
  /** By lower-case name; what is repeated is joined with a comma. */
  headers: Map<string, string>;
}

export interface RawResponse extends Head {
  body: string;
}

/** A request as bytes. A header with a list of values is sent once per value, one that is undefined not at all. */
export interface RawRequest {
  method?: string;
  path?: string;
  headers?: Record<string, string | readonly string[] | undefined>;
  body?: string | Uint8Array;
}

/** The bytes of a request. `host` and `content-length` are added unless the request says something about them. */
export function requestBytes({ method = 'POST', path = '/mcp', headers = {}, body }: RawRequest): Buffer {
  const content = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body ?? []);
  const all: typeof headers = {
    host: 'localhost',
    ...(!('transfer-encoding' in headers) && { 'content-length': String(content.length) }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).map(one => `${name}: ${one}`),
  );
  // Latin-1: the bytes of a header are what the test says they are.
  const head = Buffer.from(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`, 'latin1');
  return Buffer.concat([head, content]);
}

/** Sends one request over a connection of its own and reads the whole response. */
export async function exchange(
  port: number,
  request: RawRequest,
  localAddress?: string,
): Promise<RawResponse> {
  const connection = await RawConnection.open(port, undefined, localAddress);
  connection.send(requestBytes(request));
  const response = await connection.response(request.method === 'HEAD');
  connection.destroy();
  return response;
}

/** An HTTP connection by hand: sends any bytes, and reads responses strictly. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is gone, for whatever reason. */
  readonly closed: Promise<unknown>;
  #bytes = Buffer.alloc(0);
  #isOver = false;
  #wake: (() => void) | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.closed = new Promise(resolve => socket.on('close', resolve));
    socket.on('error', () => {});
    socket.on('data', chunk => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake?.();
    });
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        this.#isOver = true;
        this.#wake?.();
      });
    }
  }

  /** `localAddress` is the address that it comes from, such as another one of this machine. */
  static async open(port: number, host = '127.0.0.1', localAddress?: string): Promise<RawConnection> {
    const socket = connect({ port, host, ...(localAddress !== undefined && { localAddress }) });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Sends and waits until the other side, or its kernel, has taken it; false if it hung up instead. */
  async deliver(bytes: string | Uint8Array): Promise<boolean> {
    if (this.socket.destroyed) return false;
    if (this.socket.write(bytes)) return true;
    await Promise.race([once(this.socket, 'drain').catch(() => {}), this.closed]);
    return !this.socket.destroyed;
  }

  destroy(): void {
    this.socket.destroy();
  }

  async head(): Promise<Head> {
    const status = /^HTTP\/1\.1 (\d{3}) [^\r\n]*$/.exec(await this.#line())?.[1];
    if (status === undefined) throw new Error('the status line is malformed');
    const headers = new Map<string, string>();
    for (let line = await this.#line(); line !== ''; line = await this.#line()) {
      const field = /^([!#$%&'*+.^_`|~\w-]+): ?(.*)$/.exec(line);
      if (!field) throw new Error(`the header line is malformed: ${line}`);
      const [, name, value] = field as unknown as [string, string, string];
      const known = headers.get(name.toLowerCase());
      headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
    }
    if (status === '100') return this.head();
    return { status: Number(status), headers };
  }

  /** The body that belongs to a head, piece by piece. */
  async *body(head: Head): AsyncGenerator<Buffer> {
    if (head.headers.get('transfer-encoding') === 'chunked') return yield* this.#chunks();
    const length = head.headers.get('content-length');
    if (length !== undefined) yield await this.#take(Number(length));
    else if (head.headers.get('connection') === 'close') {
      while (await this.#more()) yield this.#takeAll();
    }
  }

  /** One whole response. `isHeadOnly` for what answers a HEAD, which has no body whatever its headers say. */
  async response(isHeadOnly = false): Promise<RawResponse> {
    const head = await this.head();
    const pieces: Buffer[] = [];
    if (!isHeadOnly) for await (const piece of this.body(head)) pieces.push(piece);
    return { ...head, body: Buffer.concat(pieces).toString() };
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const size = Number.parseInt(await this.#line(), 16);
      const chunk = await this.#take(size);
      await this.#line();
      if (size === 0) return;
      yield chunk;
    }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n');
      if (end >= 0) {
        const line = this.#bytes.subarray(0, end).toString('latin1');
        this.#bytes = this.#bytes.subarray(end + 2);
        return line;
      }
      if (!(await this.#more(this.#bytes.length))) throw new ConnectionEnded();
    }
  }

  async #take(size: number): Promise<Buffer> {
    while (this.#bytes.length < size) {
      if (!(await this.#more(this.#bytes.length))) throw new ConnectionEnded();
    }
    const taken = this.#bytes.subarray(0, size);
    this.#bytes = this.#bytes.subarray(size);
    return taken;
  }

  #takeAll(): Buffer {
    const taken = this.#bytes;
    this.#bytes = Buffer.alloc(0);
    return taken;
  }

  /** Waits until there are more bytes than `known`; false if none will come. */
  async #more(known = 0): Promise<boolean> {
    while (this.#bytes.length <= known) {
      if (this.#isOver) return false;
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
    return true;
  }
}

/** The other side hung up in the middle of a response, or instead of one. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
}

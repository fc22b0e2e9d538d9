import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { loopback, type SignIn, signIn } from 'tenon/auth/client';
import { type ConnectOptions, type ConnectTarget, McpError, TenonError } from 'tenon/client';
import { SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { PageCommand, PageCommands, PageEvent, PageProblem, PageState } from './api.js';
import { sendAsset } from './assets.js';
import { PageConnection } from './connection.js';
import { type Refusal, refuseForeign, refuseStranger } from './guard.js';

export interface PlaygroundOptions {
  target: ConnectTarget;
  /** Headers, access and the like, for every connection to the target. */
  connect?: ConnectOptions;
  state: Omit<PageState, 'revisions'>;
  /** The folder with the built page. */
  assets: URL;
}

type Commands = {
  [C in PageCommand]: (given: PageCommands[C]['takes']) => Promise<PageCommands[C]['returns']>;
};

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** How many events wait for a page that does not read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/**
 * Serves the page: its files, its commands, and a stream of events. Any number of pages may be open; they share the
 * connections. The target is fixed when the page is started, so that no web page can start a process.
 */
export class Playground {
  /** Goes behind the `#` of the address, which browsers do not send. */
  readonly secret = randomBytes(24).toString('base64url');
  readonly #options: PlaygroundOptions;
  readonly #connections = new Map<string, PageConnection>();
  readonly #pages = new Set<ServerResponse>();
  readonly #commands: Commands;

  constructor(options: PlaygroundOptions) {
    this.#options = { ...options, ...this.#prepare(options) };
    this.#commands = {
      state: async () => ({ ...options.state, revisions: SUPPORTED_REVISIONS }),
      connect: async ({ connection }) => {
        const { revision, server } = await this.#connection(connection).open();
        return { revision, server };
      },
      request: ({ connection, call, method, params }) =>
        this.#connection(connection).request(call, method, params),
      cancel: async ({ call }) => {
        for (const connection of this.#connections.values()) connection.cancel(call);
        return {};
      },
      answer: async ({ id, answer }) => {
        for (const connection of this.#connections.values()) connection.answer(id, answer);
        return {};
      },
      watch: async ({ connection, page, resources }) => {
        await this.#connection(connection).watch(page, resources);
        return {};
      },
    };
  }

  /** Tells all open pages. */
  tell(event: PageEvent): void {
    for (const page of this.#pages) write(page, event);
  }

  /** Responds to a request of a page. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const refusal = refuseForeign(request) ?? this.#refuse(request, pathname);
    if (refusal) return refuse(response, refusal);
    if (pathname === '/api/events') return this.#stream(response);
    if (pathname.startsWith('/api/')) return this.#run(pathname.slice('/api/'.length), request, response);
    if (await sendAsset(this.#options.assets, pathname, response)) return;
    refuse(response, { status: 404, reason: 'There is no such page.' });
  }

  async close(): Promise<void> {
    for (const page of this.#pages) page.end();
    // Connections that close still have something to tell, but nobody reads it.
    this.#pages.clear();
    await Promise.all([...this.#connections.values()].map(connection => connection.close()));
  }

  /** The target and options with what the page shows besides: the program's standard error, and sign-in. */
  #prepare({ target, connect = {} }: PlaygroundOptions): Pick<PlaygroundOptions, 'target' | 'connect'> {
    if (typeof target === 'string' || target instanceof URL) {
      const auth = connect.auth ?? (maySignIn(target, connect) ? this.#signIn() : undefined);
      return { target, connect: { ...connect, auth } };
    }
    if (!('command' in target)) return { target, connect };
    const onStderr = (text: string) => {
      target.onStderr?.(text);
      this.tell({ type: 'standard-error', text });
    };
    return { target: { ...target, onStderr }, connect };
  }

  /** Signs in when the server wants it: the page shows the address, and the user opens it. */
  #signIn(): SignIn {
    const open = (url: URL) => this.tell({ type: 'sign-in', url: url.href });
    return signIn({ clientName: 'Tenon', redirect: loopback({ open }) });
  }

  #refuse(request: IncomingMessage, path: string): Refusal | undefined {
    if (path === '/api/events' || !path.startsWith('/api/')) {
      if (request.method !== 'GET') return { status: 405, reason: 'Only GET is served here.' };
    } else if (request.method !== 'POST') return { status: 405, reason: 'Commands are sent with POST.' };
    return path.startsWith('/api/') ? refuseStranger(request, this.secret) : undefined;
  }

  #connection(name: string): PageConnection {
    const known = this.#connections.get(name);
    if (known) return known;
    const { target, connect: options = {} } = this.#options;
    const revision = name === NEWEST ? undefined : name;
    const connection = new PageConnection(name, {
      target,
      revision,
      options,
      tell: event => this.tell(event),
    });
    this.#connections.set(name, connection);
    return connection;
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    response.flushHeaders();
    this.#pages.add(response);
    response.on('close', () => this.#pages.delete(response));
    for (const { name, questions } of this.#connections.values()) {
      for (const question of questions) write(response, { type: 'question', connection: name, question });
    }
  }

  async #run(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!Object.hasOwn(this.#commands, name))
      return refuse(response, { status: 404, reason: 'There is no such command.' });
    const body = await readBody(request);
    if (body === undefined) return refuse(response, { status: 413, reason: 'The command is too large.' });
    // A page that is closed or reloaded no longer waits for its calls.
    response.on('close', () => {
      if (name === 'request' && !response.writableEnded) void this.#answer('cancel', body);
    });
    const answer = await this.#answer(name as PageCommand, body);
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(answer));
  }

  async #answer<C extends PageCommand>(name: C, body: string): Promise<object> {
    try {
      return { value: await this.#commands[name](JSON.parse(body)) };
    } catch (error) {
      return { problem: describeProblem(error) };
    }
  }
}

/** The connection in the newest revision that the server speaks. */
const NEWEST = 'newest';

/** Credentials are only sent where others cannot read them, and not in addition to those that the user gave. */
function maySignIn(target: string | URL, { headers = {} }: ConnectOptions): boolean {
  const { protocol, hostname } = new URL(target);
  const isPrivate = protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return isPrivate && !Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
}

function describeProblem(error: unknown): PageProblem {
  if (error instanceof McpError) {
    const { kind, message, code, data } = error;
    return { kind, message, code, data };
  }
  if (error instanceof TenonError) return { kind: error.kind, message: error.message };
  return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error) };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function write(page: ServerResponse, event: PageEvent): void {
  if (page.writableLength > MAX_UNREAD_BYTES) page.destroy();
  else page.write(`${JSON.stringify(event)}\n`);
}

function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
}

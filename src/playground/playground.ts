import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Cancelled, type ConnectOptions, type ConnectTarget } from 'tenon/client';
import { SUPPORTED_REVISIONS } from 'tenon/protocol';
import type { PageEvent, PageState } from './api.js';
import { sendAsset } from './assets.js';
import { type Commands, runCommand } from './commands.js';
import { PageConnection } from './connection.js';
import { EventStream } from './event-stream.js';
import { type Refusal, refuse, refuseForeign, refuseStranger } from './guard.js';
import { maySignIn, signInOnPage } from './sign-in.js';
import { readSkillFile, skillsOf } from './skills.js';

export interface PlaygroundOptions {
  target: ConnectTarget;
  /** Headers, access and the like, for every connection to the target. */
  connect?: ConnectOptions;
  state: Omit<PageState, 'revisions' | 'sandboxPort'>;
  /** The folder with the built page. */
  assets: URL;
  /** Where the sandbox of apps is served. */
  sandboxPort: number;
}

/** The connection in the newest revision that the server speaks. */
const NEWEST = 'newest';

/**
 * Serves the page: its files, its commands, and a stream of events. Any number of pages may be open; they share the
 * connections. The target is fixed when the page is started, so that no web page can start a process.
 */
export class Playground {
  /** Goes behind the `#` of the address, which browsers do not send. */
  readonly secret = randomBytes(24).toString('base64url');
  readonly #options: PlaygroundOptions;
  readonly #connections = new Map<string, PageConnection>();
  readonly #events = new EventStream();
  readonly #commands: Commands;
  /** The events that still hold: pages that are opened later have to know them, too. */
  readonly #lasting = new Map<PageEvent['type'], PageEvent>();

  constructor(options: PlaygroundOptions) {
    this.#options = { ...options, ...this.#prepare(options) };
    this.#commands = this.#createCommands();
  }

  /** Tells all open pages. */
  tell(event: PageEvent): void {
    if (event.type === 'sign-in') this.#keep(event, event.address !== undefined);
    if (event.type === 'reloaded') this.#keep(event, event.problem !== undefined);
    this.#events.tell(event);
  }

  /** Responds to a request of a page. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const refusal = refuseForeign(request) ?? this.#refuse(request, pathname);
    if (refusal) return refuse(response, refusal);
    if (pathname === '/api/events') return this.#events.open(response, this.#knownEvents());
    if (pathname.startsWith('/api/'))
      return runCommand(this.#commands, pathname.slice('/api/'.length), request, response);
    const { assets: folder, sandboxPort } = this.#options;
    if (await sendAsset({ folder, sandboxPort }, pathname, response)) return;
    refuse(response, { status: 404, reason: 'There is no such page.' });
  }

  async close(): Promise<void> {
    this.#events.close();
    await Promise.all([...this.#connections.values()].map(connection => connection.close()));
  }

  /** The target and options with what the page shows besides: the program's standard error, and sign-in. */
  #prepare({ target, connect = {} }: PlaygroundOptions): Pick<PlaygroundOptions, 'target' | 'connect'> {
    if (typeof target === 'string' || target instanceof URL) {
      const show = (address: string | undefined) => this.tell({ type: 'sign-in', address });
      const auth = connect.auth ?? (maySignIn(target, connect) ? signInOnPage(show) : undefined);
      return { target, connect: { ...connect, auth } };
    }
    if (!('command' in target)) return { target, connect };
    const onStderr = (text: string) => {
      target.onStderr?.(text);
      this.tell({ type: 'standard-error', text });
    };
    return { target: { ...target, onStderr }, connect };
  }

  #createCommands(): Commands {
    return {
      state: async () => {
        const { state, sandboxPort } = this.#options;
        return { ...state, sandboxPort, revisions: SUPPORTED_REVISIONS };
      },
      connect: async ({ connection }) => {
        const { revision, server } = await this.#connection(connection).open();
        return { revision, server };
      },
      request: ({ connection, call, method, params }) =>
        this.#connection(connection).request(call, method, params),
      cancel: async ({ call }) => {
        for (const { calls } of this.#connections.values()) calls.cancel(call);
        return {};
      },
      abandon: async ({ call }) => {
        for (const { name, calls, tasks } of this.#connections.values()) {
          const running = tasks.abandon(call);
          // The page may be back already.
          if (running) this.tell({ type: 'running-task', connection: name, running });
          else calls.cancel(call);
        }
        return {};
      },
      follow: ({ call }) => {
        const [following] = [...this.#connections.values()].flatMap(({ tasks }) => tasks.follow(call) ?? []);
        return following ?? Promise.reject(new Cancelled('the task is not followed any more'));
      },
      answer: async ({ id, answer }) => {
        for (const { questions } of this.#connections.values()) questions.answer(id, answer);
        return {};
      },
      skills: async ({ connection }) => skillsOf(await this.#connection(connection).open()),
      skillFile: async ({ connection, uri, path }) =>
        readSkillFile(await this.#connection(connection).open(), uri, path),
      watch: async ({ connection, page, resources }) => {
        await this.#connection(connection).watch(page, resources);
        return {};
      },
    };
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

  #keep(event: PageEvent, isLasting: boolean): void {
    if (isLasting) this.#lasting.set(event.type, event);
    else this.#lasting.delete(event.type);
  }

  /** What a page that is opened now has missed. */
  *#knownEvents(): Iterable<PageEvent> {
    yield* this.#lasting.values();
    for (const { name, questions, tasks } of this.#connections.values()) {
      for (const running of tasks.abandoned()) yield { type: 'running-task', connection: name, running };
      for (const question of questions) yield { type: 'question', connection: name, question };
    }
  }
}

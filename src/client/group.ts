// Without this reference, projects that lack the library in their `lib` could not compile the declarations.
/// <reference lib="esnext.disposable" preserve="true" />

import { UsageError } from '../base/errors.js';
import { forEachInTurns } from '../base/turns.js';
import type { GetPromptResult, Prompt } from '../protocol/prompts.js';
import type { ReadResourceResult, Resource } from '../protocol/resources.js';
import type { CallToolResult, Tool } from '../protocol/tools.js';
import type { CallOptions } from './call-options.js';
import type { ServerChange } from './changes.js';
import type { Client } from './client.js';
import { endAtOnce } from './end-at-once.js';

/** Separates the server's name from the tool's name. Models accept letters, digits, `_` and `-` in names. */
const SEPARATOR = '__';
/** The cost of adding the server's name to an entry. */
const ENTRY_COST = 50;

/** An entry of one server in the group, with the name of that server. */
export type Owned<T> = T & { server: string };

/** Why a server of the group could not be connected or queried. */
export interface GroupProblem {
  server: string;
  error: unknown;
}

/**
 * Several servers in one object. Tools and prompts are prefixed with their server's name: the tool `read` of `files` is
 * `files__read`. Resources keep their URIs and are read with the name of their server.
 *
 * @example
 * for (const tool of await group.tools()) console.log(tool.server, tool.name);
 * const { content } = await group.callTool('files__read', { path: 'menu.txt' });
 */
export class ClientGroup implements AsyncDisposable {
  readonly #clients: ReadonlyMap<string, Client>;
  readonly #onProblem: ((problem: GroupProblem) => void) | undefined;

  /** Use `connectAll`. */
  constructor(
    clients: ReadonlyMap<string, Client>,
    onProblem: ((problem: GroupProblem) => void) | undefined,
  ) {
    this.#clients = clients;
    this.#onProblem = onProblem;
  }

  /** The names of the servers that are connected. */
  get servers(): string[] {
    return [...this.#clients.keys()];
  }

  /** The client of one server. */
  client(server: string): Client {
    const client = this.#clients.get(server);
    if (!client) throw new UsageError(`there is no server ${server}; there are ${this.servers.join(', ')}`);
    return client;
  }

  /** The tools of all servers. */
  tools(options?: CallOptions): Promise<Owned<Tool>[]> {
    return this.#gather('tools', client => client.tools(options), withPrefix);
  }

  /** Calls a tool by its full name, such as `files__read`. */
  callTool(name: string, args?: object, options?: CallOptions): Promise<CallToolResult> {
    const [server, own] = split(name);
    return this.client(server).callTool(own, args, options);
  }

  /** The prompts of all servers. */
  prompts(options?: CallOptions): Promise<Owned<Prompt>[]> {
    return this.#gather('prompts', client => client.prompts(options), withPrefix);
  }

  /** Gets a prompt by its full name, such as `files__summary`. */
  getPrompt(name: string, args?: Record<string, string>, options?: CallOptions): Promise<GetPromptResult> {
    const [server, own] = split(name);
    return this.client(server).getPrompt(own, args, options);
  }

  /** The resources of all servers. */
  resources(options?: CallOptions): Promise<Owned<Resource>[]> {
    return this.#gather(
      'resources',
      client => client.resources(options),
      (server, resource) => Object.assign(resource, { server }),
    );
  }

  readResource(server: string, uri: string | URL, options?: CallOptions): Promise<ReadResourceResult> {
    return this.client(server).readResource(uri, options);
  }

  /** Yields changes of the lists of all servers that report them. */
  changes(
    options: { signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<Owned<ServerChange>, void, undefined> {
    const controller = new AbortController();
    return endAtOnce(this.#changes(options.signal, controller), controller);
  }

  async *#changes(
    outer: AbortSignal | undefined,
    controller: AbortController,
  ): AsyncGenerator<Owned<ServerChange>, void, undefined> {
    const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal;
    const streams = [...this.#clients].map(([server, client]) => ({
      server,
      changes: client
        .changes({ tools: true, prompts: true, resources: true }, { signal })
        [Symbol.asyncIterator](),
    }));
    const next = async (stream: (typeof streams)[number]) => ({ stream, turn: await this.#turn(stream) });
    const waiting = new Map(streams.map(stream => [stream, next(stream)]));
    try {
      while (waiting.size > 0) {
        const { stream, turn } = await Promise.race(waiting.values());
        if (turn.done) waiting.delete(stream);
        else {
          waiting.set(stream, next(stream));
          yield { ...turn.value, server: stream.server };
        }
      }
    } finally {
      controller.abort();
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map(client => client.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #turn(stream: {
    server: string;
    changes: AsyncIterator<ServerChange>;
  }): Promise<IteratorResult<ServerChange>> {
    try {
      return await stream.changes.next();
    } catch (error) {
      if (!this.#onProblem) throw error;
      this.#onProblem({ server: stream.server, error });
      return { done: true, value: undefined };
    }
  }

  async #gather<T, R>(
    capability: 'tools' | 'prompts' | 'resources',
    list: (client: Client) => Promise<T[]>,
    own: (server: string, entry: T) => R,
  ): Promise<R[]> {
    const lists = [...this.#clients].map(async ([server, client]) => {
      if (!client.server.capabilities[capability]) return [];
      try {
        const entries = await list(client);
        const owned: R[] = [];
        await forEachInTurns(entries, entry => owned.push(own(server, entry)) && ENTRY_COST);
        return owned;
      } catch (error) {
        if (!this.#onProblem) throw error;
        this.#onProblem({ server, error });
        return [];
      }
    });
    return (await Promise.all(lists)).flat();
  }
}

function withPrefix<T extends { name: string }>(server: string, entry: T): Owned<T> {
  // The entry is not shared, and may have too many fields to copy.
  return Object.assign(entry, { name: server + SEPARATOR + entry.name, server });
}

function split(name: string): [server: string, own: string] {
  const at = name.indexOf(SEPARATOR);
  if (at < 0) throw new UsageError(`${name} names no server; use a name from the list, such as files__read`);
  return [name.slice(0, at), name.slice(at + SEPARATOR.length)];
}

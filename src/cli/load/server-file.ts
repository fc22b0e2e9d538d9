import { existsSync } from 'node:fs';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import { isServer, type Servable } from 'tenon';
import type { ListenOptions } from 'tenon/node';
import { usageError } from '../failure.js';

/** What a server file exports. */
export interface LoadedServer {
  readonly server: Servable;
  /** The export `options`: how the server is to be served, such as `auth`. */
  readonly options: ListenOptions;
}

/**
 * A file that makes a server. It exports the server, as `default` or as `server`, or a function that returns it.
 * TypeScript needs no build. Each `load` runs the file and all that it imports from the project again.
 */
export class ServerFile {
  readonly path: string;
  /** The files of the project that were loaded so far. */
  readonly files = new Set<string>();
  #loads = 0;

  constructor(path: string) {
    this.path = resolve(path);
    if (!existsSync(this.path)) {
      throw usageError(`there is no file ${path}`, 'Name the file that exports the server: src/server.ts');
    }
    const { port1, port2 } = new MessageChannel();
    port1.on('message', (file: string) => this.files.add(file));
    port1.unref();
    this.files.add(this.path);
    register('./typescript-hooks.js', {
      parentURL: import.meta.url,
      data: { port: port2 },
      transferList: [port2],
    });
  }

  /** Runs the file. Throws what it throws. */
  async load(): Promise<LoadedServer> {
    const url = pathToFileURL(this.path);
    this.#loads += 1;
    url.searchParams.set('tenon-load', String(this.#loads));
    const exported = await import(url.href);
    const found = exported.default ?? exported.server ?? exported.createServer;
    const server = typeof found === 'function' ? await found() : found;
    if (isServer(server)) return { server, options: exported.options ?? {} };
    throw usageError(
      `${this.path} exports no server`,
      'Write `export default server` at its end, and leave out `listen` and `serveStdio`: this command does that.',
    );
  }
}

import { ReplaceableServer, type Reporting } from 'tenon';
import { describeError } from '../load/code-frame.js';
import type { LoadedServer, ServerFile } from '../load/server-file.js';
import { FileWatch } from './watch-files.js';

/** How a load of the file ended. */
export type LoadOutcome =
  | { readonly ms: number }
  /** `isServing` tells whether an earlier version is served meanwhile. */
  | { readonly problem: string; readonly isServing: boolean };

/**
 * A server that follows its file: each time it is saved, the file is loaded again and replaces what is served. While it
 * cannot be loaded, the last one that could is served.
 */
export class LiveServer {
  readonly #file: ServerFile;
  readonly #tell: (outcome: LoadOutcome) => void;
  readonly #watch: FileWatch;
  #live: ReplaceableServer | undefined;
  #loading = false;
  #isStale = false;
  #first!: (loaded: LoadedServer) => void;
  /** Resolves when the file was loaded for the first time. */
  readonly ready: Promise<{ server: ReplaceableServer; options: LoadedServer['options'] }>;

  /** `reporting` is for the options that the server of the file leaves open. */
  constructor(file: ServerFile, tell: (outcome: LoadOutcome) => void, reporting: Reporting) {
    this.#file = file;
    this.#tell = tell;
    this.ready = new Promise<LoadedServer>(resolve => {
      this.#first = resolve;
    }).then(({ server, options }) => {
      this.#live = new ReplaceableServer(server, reporting);
      return { server: this.#live, options };
    });
    this.#watch = new FileWatch(file.files, () => this.load());
  }

  /** Loads the file, and once more if it was saved meanwhile. */
  async load(): Promise<void> {
    this.#isStale = true;
    if (this.#loading) return;
    this.#loading = true;
    while (this.#isStale) {
      this.#isStale = false;
      await this.#loadOnce();
    }
    this.#loading = false;
  }

  close(): void {
    this.#watch.close();
  }

  async #loadOnce(): Promise<void> {
    const startedAt = performance.now();
    try {
      const loaded = await this.#file.load();
      if (this.#live) this.#live.replace(loaded.server);
      else this.#first(loaded);
      this.#tell({ ms: performance.now() - startedAt });
    } catch (error) {
      const problem = describeError(error, this.#file.files);
      this.#tell({ problem, isServing: this.#live !== undefined });
    }
    this.#watch.update();
  }
}

import { ReplaceableServer } from 'tenon';
import { describeError } from '../load/code-frame.js';
import type { LoadedServer, ServerFile } from '../load/server-file.js';
import { FileWatch } from './watch-files.js';

/** How a load of the file ended. */
export type LoadOutcome = { readonly ms: number } | { readonly problem: string };

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

  constructor(file: ServerFile, tell: (outcome: LoadOutcome) => void) {
    this.#file = file;
    this.#tell = tell;
    this.ready = new Promise<LoadedServer>(resolve => {
      this.#first = resolve;
    }).then(({ server, options }) => {
      this.#live = new ReplaceableServer(server);
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
      this.#tell({ problem: describeError(error) });
    }
    this.#watch.update();
  }
}

import { type FSWatcher, watch } from 'node:fs';
import { dirname, join } from 'node:path';

/** How long further changes are awaited: editors write a file in several steps. */
const SETTLE_MS = 15;

/** Calls `onChange` when one of the files is saved. Files may be added to the set; `update` watches them too. */
export class FileWatch {
  readonly #files: ReadonlySet<string>;
  readonly #onChange: () => void;
  /** The watched folders: a file that is replaced by renaming is no longer seen by a watch of its own. */
  readonly #folders = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(files: ReadonlySet<string>, onChange: () => void) {
    this.#files = files;
    this.#onChange = onChange;
    this.update();
  }

  update(): void {
    for (const folder of new Set([...this.#files].map(dirname))) {
      if (this.#folders.has(folder)) continue;
      const watcher = watch(folder, (_, name) => {
        if (name !== null && this.#files.has(join(folder, name))) this.#saved();
      });
      // A folder that is removed takes its files with it; the next load says so.
      watcher.on('error', () => this.#forget(folder));
      this.#folders.set(folder, watcher);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const folder of [...this.#folders.keys()]) this.#forget(folder);
  }

  #saved(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, SETTLE_MS);
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }
}

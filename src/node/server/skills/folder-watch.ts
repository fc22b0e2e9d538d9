import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';

/** How long further changes are awaited: a copy of a skill comes file by file. */
const SETTLE_MS = 100;
/** Systems allow a process only so many. Without one, changes are found by the next request. */
const MAX_WATCHED = 1000;

/**
 * Calls `onChange` as soon as something changes in one of the folders, and `onSettled` a moment later. It keeps no process
 * alive.
 */
export class FolderWatch {
  readonly #base: string;
  readonly #onChange: () => void;
  readonly #onSettled: () => void;
  readonly #watched = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(base: string, onChange: () => void, onSettled: () => void) {
    this.#base = base;
    this.#onChange = onChange;
    this.#onSettled = onSettled;
  }

  /** Watches these folders, given by their paths in the base folder, and no others. */
  update(folders: ReadonlySet<string>): void {
    for (const path of this.#watched.keys()) if (!folders.has(path)) this.#forget(path);
    for (const path of folders)
      if (!this.#watched.has(path) && this.#watched.size < MAX_WATCHED) this.#add(path);
  }

  #add(path: string): void {
    try {
      const watcher = watch(join(this.#base, path), { persistent: false }, () => this.#changed());
      watcher.on('error', () => this.#forget(path));
      this.#watched.set(path, watcher);
    } catch {
      // The folder is gone again, or the system has no more watches: requests look for themselves.
    }
  }

  #changed(): void {
    this.#onChange();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onSettled, SETTLE_MS);
    this.#timer.unref();
  }

  #forget(path: string): void {
    this.#watched.get(path)?.close();
    this.#watched.delete(path);
  }
}

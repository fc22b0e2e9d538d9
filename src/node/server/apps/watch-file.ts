import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/** How long further changes are awaited: bundlers write a file in several steps. */
const SETTLE_MS = 50;

/** Ends the watch of an owner that was collected. */
const ENDED = new FinalizationRegistry<FSWatcher>(watcher => watcher.close());

/**
 * Calls `owner.look` after a file has changed, for as long as somebody else holds the owner. It keeps no process alive.
 * The folder is watched, because a file that is replaced by renaming is no longer seen by a watch of its own.
 */
export function watchFile(path: string, owner: { look(): Promise<void> }): void {
  const held = new WeakRef(owner);
  let timer: NodeJS.Timeout | undefined;
  const changed = (name: string | null) => {
    if (name !== null && name !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void held.deref()?.look(), SETTLE_MS).unref();
  };
  try {
    const watcher = watch(dirname(path), { persistent: false }, (_, name) => changed(name));
    watcher.on('error', () => watcher.close());
    ENDED.register(owner, watcher);
  } catch {
    // The system has no more watches. Requests read the file all the same.
  }
}

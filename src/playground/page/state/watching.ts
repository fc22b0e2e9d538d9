import { createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { command } from '../backend.js';

/** Tells this page from others that are open. */
const page = crypto.randomUUID();
/** The URIs of the resources that are watched. */
const [watched, setWatched] = createSignal<readonly string[]>([]);
/** How often each resource changed. */
const [updates, setUpdates] = createStore<Record<string, number>>({});

export { updates, watched };

export function noteUpdate(uri: string): void {
  setUpdates(uri, (count = 0) => count + 1);
}

/** Watches a resource, or no longer. Lists are listened to in any case. */
export async function watch(connection: string, uri: string, isWatched: boolean): Promise<void> {
  const others = watched().filter(other => other !== uri);
  setWatched(isWatched ? [...others, uri] : others);
  await command('watch', { connection, page, resources: [...watched()] });
}

/** Listens to changes of the lists, and of the watched resources. */
export async function listenToChanges(connection: string): Promise<void> {
  await command('watch', { connection, page, resources: [...watched()] });
}

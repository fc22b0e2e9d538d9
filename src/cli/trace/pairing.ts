import type { Side, TraceEntry } from './entry.js';

/** How many requests without a response are remembered. */
const MAX_OPEN = 10_000;

/** A request that has no response yet. */
export interface Open {
  readonly method: string;
  readonly entry: TraceEntry;
}

/**
 * Finds the request of a response. Several clients may use the same ids, so that the one on the same HTTP request comes
 * first; a response that comes on another stream is matched by its id alone.
 */
export class Pairing {
  readonly #open = new Map<string, Open[]>();
  #count = 0;

  /** Remembers a request. */
  add(entry: TraceEntry): void {
    const { id, method } = entry.message ?? {};
    if (id === undefined || typeof method !== 'string' || this.#count >= MAX_OPEN) return;
    const key = keyOf(entry.from, id);
    const list = this.#open.get(key) ?? [];
    list.push({ method, entry });
    this.#open.set(key, list);
    this.#count++;
  }

  /** The request of a response, which is forgotten then. */
  take(response: TraceEntry): Open | undefined {
    const key = keyOf(response.from === 'client' ? 'server' : 'client', response.message?.id);
    const list = this.#open.get(key) ?? [];
    const same = list.findIndex(
      ({ entry }) => response.exchange !== undefined && entry.exchange === response.exchange,
    );
    const [found] = list.splice(same === -1 ? list.length - 1 : same, 1);
    if (found) this.#count--;
    if (list.length === 0) this.#open.delete(key);
    return found;
  }
}

function keyOf(asker: Side, id: unknown): string {
  return `${asker} ${JSON.stringify(id)}`;
}

import type { ChangeFilter, Client, ServerChange } from 'tenon/client';

export interface WatchingEvents {
  onChange(change: ServerChange): void;
  onWarning(message: string): void;
}

/** Pages that were closed are forgotten when there are this many. */
const MAX_PAGES = 20;

/** Listens to changes of lists, and of the resources that any open page watches. */
export class Watching {
  readonly #events: WatchingEvents;
  /** The resources that each page watches. */
  readonly #wantedBy = new Map<string, readonly string[]>();
  #running: { controller: AbortController; wanted: readonly string[] } | undefined;

  constructor(events: WatchingEvents) {
    this.#events = events;
  }

  /** Watches these resources for a page, instead of those that it named before. */
  watch(client: Client, page: string, resources: readonly string[]): void {
    this.#wantedBy.delete(page);
    this.#wantedBy.set(page, resources);
    if (this.#wantedBy.size > MAX_PAGES) this.#wantedBy.delete([...this.#wantedBy.keys()][0] ?? page);
    const wanted = [...new Set([...this.#wantedBy.values()].flat())].sort();
    if (this.#running?.wanted.join('\n') === wanted.join('\n')) return;
    this.close();
    const controller = new AbortController();
    this.#running = { controller, wanted };
    for (const filter of filtersFor(client, wanted)) void this.#passOn(client, filter, controller.signal);
  }

  close(): void {
    this.#running?.controller.abort();
  }

  async #passOn(client: Client, filter: ChangeFilter, signal: AbortSignal): Promise<void> {
    try {
      for await (const change of client.changes(filter, { signal })) this.#events.onChange(change);
    } catch (error) {
      if (!signal.aborted) this.#events.onWarning((error as Error).message);
    }
  }
}

/** What to listen to: only what the server says it reports. */
function filtersFor({ server }: Client, wanted: readonly string[]): ChangeFilter[] {
  const { tools, prompts, resources } = server.capabilities;
  const lists = {
    tools: tools?.listChanged === true,
    prompts: prompts?.listChanged === true,
    resources: resources?.listChanged === true,
  };
  return [
    ...(Object.values(lists).includes(true) ? [lists] : []),
    ...(resources?.subscribe && wanted.length > 0 ? [{ resources: wanted }] : []),
  ];
}

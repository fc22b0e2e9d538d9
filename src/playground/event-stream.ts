import type { ServerResponse } from 'node:http';
import type { PageEvent } from './api.js';

/** How many events wait for a page that does not read. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

/** The open pages, each of which reads all events as lines of JSON. */
export class EventStream {
  readonly #pages = new Set<ServerResponse>();

  /** Tells all open pages. */
  tell(event: PageEvent): void {
    for (const page of this.#pages) write(page, event);
  }

  /** Adds a page, and tells it first what the others know already. */
  open(page: ServerResponse, known: Iterable<PageEvent>): void {
    page.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    page.flushHeaders();
    this.#pages.add(page);
    page.on('close', () => this.#pages.delete(page));
    for (const event of known) write(page, event);
  }

  close(): void {
    for (const page of this.#pages) page.end();
    // Connections that close still have something to tell, but nobody reads it.
    this.#pages.clear();
  }
}

function write(page: ServerResponse, event: PageEvent): void {
  if (page.writableLength > MAX_UNREAD_BYTES) page.destroy();
  else page.write(`${JSON.stringify(event)}\n`);
}

import { InvalidAnswer } from '../protocol/failures.js';

/** A server that pages without end must not be followed without end. */
const MAX_PAGES = 1000;
const MAX_ENTRIES = 100_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** One page of a list. */
export interface Page<T> {
  entries: T[];
  nextCursor: unknown;
}

/** All entries of a list, page by page. Throws `InvalidAnswer` if there is no end. */
export async function readAllPages<T>(
  method: string,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<unknown>();
  let size = 0;
  for (let cursor: string | undefined; seen.size < MAX_PAGES; ) {
    const { entries, nextCursor } = await readPage(cursor);
    for (const entry of entries) all.push(entry);
    if (typeof nextCursor !== 'string') return all;
    size += JSON.stringify(entries).length + nextCursor.length;
    if (seen.has(nextCursor) || all.length > MAX_ENTRIES || size > MAX_CHARACTERS) break;
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw new InvalidAnswer(`${method} has pages without end`);
}

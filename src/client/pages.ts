import { forEachInTurns } from '../base/turns.js';
import { McpError } from '../protocol/errors.js';
import { InvalidAnswer } from '../protocol/failures.js';
import { weighInTurns } from './weight.js';

/** How many pages of a list a client reads, such as those of `client.tools()`; the list may never end. */
export const MAX_PAGES = 1000;
/** How many entries these pages may have together. */
export const MAX_ENTRIES = 100_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** A cursor goes into the next request, and into cache keys. */
const MAX_CURSOR = 64 * 1024;
/** The cost of adding an entry to a list. */
const ENTRY_COST = 2;

/** One page of a list. */
export interface Page<T> {
  entries: T[];
  nextCursor: unknown;
}

/**
 * Reads all entries of a list, page by page. Starts again, once, if the server no longer accepts a cursor. Throws
 * `InvalidAnswer` if the list does not end.
 */
export async function readAllPages<T>(
  method: string,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  let isFirstPage = true;
  const readFirstTime = (cursor: string | undefined) => {
    isFirstPage = cursor === undefined;
    return readPage(cursor);
  };
  try {
    return await readPages(method, readFirstTime);
  } catch (error) {
    if (isFirstPage || !(error instanceof McpError)) throw error;
    return readPages(method, readPage);
  }
}

async function readPages<T>(
  method: string,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  let size = 0;
  let cursor: string | undefined;
  // Nothing follows from the value of a cursor: a server may send the same one again.
  for (let page = 0; page < MAX_PAGES; page++) {
    const { entries, nextCursor } = await readPage(cursor);
    await forEachInTurns(entries, entry => all.push(entry) && ENTRY_COST);
    if (typeof nextCursor !== 'string') return all;
    if (nextCursor.length > MAX_CURSOR) {
      throw new InvalidAnswer(`${method} has a cursor that is too long`);
    }
    size += (await weighInTurns(entries)).characters + nextCursor.length;
    if (all.length > MAX_ENTRIES || size > MAX_CHARACTERS) break;
    cursor = nextCursor;
  }
  throw new InvalidAnswer(`${method} has pages without end`);
}

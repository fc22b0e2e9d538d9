import { clip } from '../../../base/clip.js';
import { invalidParams } from '../../../protocol/errors.js';

/** How many files the skills of a page list together, unless one alone has more: an entry is never split. */
const MAX_PAGE_FILES = 5000;

/** A page of entries that are sorted by URI. A cursor names the entry before the page, so it survives changes. */
export function pageAfter<T extends object>(
  cursor: string | undefined,
  sorted: readonly (readonly [uri: string, entry: T])[],
  pageSize: number,
): { entries: T[]; nextCursor: string | undefined } {
  const after = cursor === undefined ? '' : readCursor(cursor);
  const rest = sorted.filter(([uri]) => uri > after);
  const entries: T[] = [];
  let files = 0;
  for (const [, entry] of rest) {
    files += 'resources' in entry ? (entry.resources as ArrayLike<unknown>).length : 0;
    if (entries.length > 0 && (entries.length === pageSize || files > MAX_PAGE_FILES)) break;
    entries.push(entry);
  }
  const last = rest[entries.length - 1];
  const hasMore = entries.length < rest.length && last !== undefined;
  return { entries, nextCursor: hasMore ? btoa(last[0]) : undefined };
}

function readCursor(cursor: string): string {
  try {
    const uri = atob(cursor);
    if (uri.startsWith('skill://') && btoa(uri) === cursor) return uri;
  } catch {
    // Not base64, so not one of ours.
  }
  throw invalidParams(`unknown cursor: ${clip(cursor)}`);
}

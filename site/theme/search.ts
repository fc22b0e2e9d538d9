import type MiniSearch from 'minisearch';
import type { SearchResult } from 'minisearch';

/** The sections that have all words of a query, the best first, and after them those that have some. */
export function findSections(index: MiniSearch, query: string): SearchResult[] {
  const complete = index.search(query, { combineWith: 'AND' });
  const known = new Set(complete.map(({ id }) => id));
  return [...complete, ...index.search(query, { combineWith: 'OR' }).filter(({ id }) => !known.has(id))];
}

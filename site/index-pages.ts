import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './theme/search-options.js';

/** A section of a page that the search finds. */
export interface Entry {
  /** The page and the anchor of the heading. */
  id: string;
  page: string;
  heading: string;
  text: string;
}

/** The index of all sections, as the page loads it. */
export function searchIndex(entries: readonly Entry[]): object {
  const search = new MiniSearch<Entry>(SEARCH_OPTIONS);
  search.addAll(entries);
  return search.toJSON();
}

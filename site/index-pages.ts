import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './theme/search-options.js';

/** A section of a page that the search finds. */
export interface Entry {
  /** The page and the anchor of the heading. */
  id: string;
  page: string;
  /** The name of its file, in which words may stand that its title does not have. */
  file: string;
  heading: string;
  text: string;
  /** The questions that it answers. */
  questions?: string;
  /** How much it counts: readers look for guides first. */
  weight: number;
}

/** The index of all sections, as the page loads it. */
export function searchIndex(entries: readonly Entry[]): object {
  const search = new MiniSearch<Entry>(SEARCH_OPTIONS);
  search.addAll(entries);
  return search.toJSON();
}

import type { Check } from './node.js';
import type { Place } from './place.js';

/** Reads a keyword where it stands, into a check if there is something to check. */
export type Keyword = (at: Place) => Check | undefined;

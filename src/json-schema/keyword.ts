import type { Check } from './node.js';
import type { Place } from './place.js';

/** Reads a keyword at its place in the schema. Returns a check if the keyword restricts values. */
export type Keyword = (at: Place) => Check | undefined;

import { clip } from '../base/clip.js';

/**
 * Why a schema is not used:
 * - `malformed`: it is not a JSON Schema;
 * - `dialect`: it is in a dialect other than 2020-12 and draft-07;
 * - `pattern`: a regular expression cannot be tested in linear time;
 * - `reference`: it refers to something that is not in the document;
 * - `too-complex`: it is too large to read, or a value takes too long to check.
 */
export type RefusalReason = 'malformed' | 'dialect' | 'pattern' | 'reference' | 'too-complex';

/** A schema cannot be used, or cannot be used for this value. */
export class SchemaRefused extends Error {
  override readonly name = 'SchemaRefused';
  readonly reason: RefusalReason;
  /** Where in the schema, as a JSON pointer: `#/properties/guests/minimum`. */
  readonly place: string;

  constructor(reason: RefusalReason, place: string, what: string) {
    super(`schema refused at ${clip(place, 200)}: ${what}`);
    this.reason = reason;
    this.place = place;
  }
}

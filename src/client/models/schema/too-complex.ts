/** Ends the rewriting of a schema that is too large, too deep, or recursive in a way that has no end. */
export class TooComplex extends Error {
  override readonly name = 'TooComplex';

  constructor() {
    super('the schema is too complex to be rewritten');
  }
}

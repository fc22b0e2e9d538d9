/** How a schema is read. */
export interface SchemaOptions {
  /**
   * Who wrote the schema. A `peer` gets little time, may use draft-07, and a pattern that cannot be tested in linear
   * time is not enforced. An `author` gets more time, and such a pattern is refused.
   */
  readonly from: 'author' | 'peer';
  /** Whether `format` is enforced. Otherwise it is only an annotation, which is the specification's default. */
  readonly checkFormats?: boolean;
}

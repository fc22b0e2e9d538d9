/** How a schema is read. */
export interface SchemaOptions {
  /**
   * Whose it is. A `peer` has little time, may write draft-07, and a pattern that cannot be tested in linear time is
   * not enforced. An `author` has more time, and is told of such a pattern.
   */
  readonly from: 'author' | 'peer';
  /** Whether `format` says what a value must be. Otherwise it is a note for readers, as the specification has it. */
  readonly checkFormats?: boolean;
}

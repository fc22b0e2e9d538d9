/** A change of what a server offers. */
export interface Change {
  readonly isBreaking: boolean;
  /** Where it is, such as `tool reserve`. */
  readonly where: string;
  /** What has changed, as the rest of a sentence. */
  readonly what: string;
}

/** What is being completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionReference =
  | { type: 'ref/prompt'; name: string; title?: string }
  | { type: 'ref/resource'; uri: string };

/**
 * Suggestions for one argument, at most 100.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean };
}

/** A request for suggestions, once it was read. */
export interface CompletionRequest {
  ref: CompletionReference;
  argument: { name: string; value: string };
  /** The arguments that were chosen already. */
  arguments: Record<string, string>;
}

/** How many values a result of a completion has; further ones are left out, and `hasMore` says so. */
export const MAX_COMPLETIONS = 100;

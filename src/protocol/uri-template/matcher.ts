import { compileSteps, matchSteps } from './match.js';
import { malformed, parseParts, type TemplatePart } from './parse.js';

/** Matching keeps one byte for each part and each character of the URI. */
const MAX_STEPS = 200;

/** How strict `match` is. */
export interface MatchOptions {
  /** Also accept values that could leave the folder they are meant for, such as `..` or `a/b` in `{name}`. */
  allowEscapes?: boolean | undefined;
}

/** A URI template that can be recognised in a URI. */
export interface TemplateMatcher {
  /** The template as it was written. */
  readonly text: string;
  /** The names of its variables, each once, in order of appearance. */
  readonly variables: readonly string[];
  /** The values that give this URI, or undefined if the template does not describe it. */
  match(uri: string, options?: MatchOptions): Record<string, string | string[]> | undefined;
}

/** Prepares a template for matching. Servers need no more than that, and ship no more. */
export function compileTemplate(text: string): { parts: readonly TemplatePart[]; matcher: TemplateMatcher } {
  const parts = parseParts(text);
  const steps = compileSteps(parts);
  if (steps.length > MAX_STEPS) throw malformed(text, `it has more than ${MAX_STEPS} parts`);
  const names = parts.flatMap(part => (typeof part === 'string' ? [] : part.specs.map(spec => spec.name)));
  const matcher: TemplateMatcher = {
    text,
    variables: [...new Set(names)],
    match: (uri, options) => matchSteps(steps, uri, options?.allowEscapes ?? false),
  };
  return { parts, matcher };
}

import { compileSteps, matchSteps } from './match.js';
import { malformed, parseParts, type TemplatePart } from './parse.js';

/** Matching allocates one byte for each part and each character of the URI. */
const MAX_STEPS = 200;

/** How strict `match` is. */
export interface MatchOptions {
  /** Also accept values that could lead out of a folder, such as `..` or `a/b` in `{name}`. */
  allowEscapes?: boolean | undefined;
}

/** A URI template that can be matched against a URI. */
export interface TemplateMatcher {
  /** The template as it was written. */
  readonly text: string;
  /** The names of its variables, each once, in order of appearance. */
  readonly variables: readonly string[];
  /** The values that expand to this URI, or undefined if the template does not match it. */
  match(uri: string, options?: MatchOptions): Record<string, string | string[]> | undefined;
}

/** Prepares a template for matching only: servers do not need expansion, and do not ship it. */
export function compileTemplate(text: string): { parts: readonly TemplatePart[]; matcher: TemplateMatcher } {
  const parts = parseParts(text);
  const steps = compileSteps(parts);
  const prefix = prefixOf(parts);
  if (steps.length > MAX_STEPS) throw malformed(text, `it has more than ${MAX_STEPS} parts`);
  const names = parts.flatMap(part => (typeof part === 'string' ? [] : part.specs.map(spec => spec.name)));
  const matcher: TemplateMatcher = {
    text,
    variables: [...new Set(names)],
    match: (uri, options) =>
      uri.startsWith(prefix) ? matchSteps(steps, uri, options?.allowEscapes ?? false) : undefined,
  };
  return { parts, matcher };
}

/** The text that every matching URI begins with. It ends before an encoded character, which a URI may have as it is. */
function prefixOf([first]: readonly TemplatePart[]): string {
  return typeof first === 'string' ? (first.split('%', 1)[0] as string) : '';
}

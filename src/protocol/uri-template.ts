import { expandExpression } from './uri-template/expand.js';
import { compile, matchSteps } from './uri-template/match.js';
import { malformed, parseParts } from './uri-template/parse.js';
import type { TemplateValue } from './uri-template/value.js';

export type { TemplateValue } from './uri-template/value.js';
export type { TemplateVariables } from './uri-template/variables.js';

/** Matching allocates one byte for each part and each character of the URI. */
const MAX_STEPS = 200;

/** How strict `match` is. */
export interface MatchOptions {
  /** Also accept values that could lead out of a folder, such as `..` or `a/b` in `{name}`. */
  allowEscapes?: boolean | undefined;
}

/** A URI template that can be expanded, and matched against a URI. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly text: string;
  /** The names of its variables, each once, in order of appearance. */
  readonly variables: readonly string[];
  /** The URI for these values. */
  expand(values: Readonly<Record<string, TemplateValue>>): string;
  /** The values that expand to this URI, or undefined if the template does not match it. */
  match(uri: string, options?: MatchOptions): Record<string, string | string[]> | undefined;
}

/**
 * Reads a URI template (RFC 6570, all four levels); throws a `UsageError` that names the mistake.
 *
 * `match` is the inverse of `expand` for values that are not empty and not associative arrays. Every variable is
 * required, except those of `{?…}` and `{&…}`, which may come in any order; a URI with a parameter that the template
 * does not name does not match. Where a URI can be divided in several ways, variables further left take more.
 *
 * @example
 * const menu = parseTemplate('menu://{day}{?page}');
 * menu.expand({ day: 'Monday', page: 2 }); // 'menu://Monday?page=2'
 * menu.match('menu://Monday'); // { day: 'Monday' }
 * menu.match('menu://..%2Fsecrets'); // undefined: it would leave the folder
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export function parseTemplate(text: string): UriTemplate {
  const parts = parseParts(text);
  const steps = compile(parts);
  if (steps.length > MAX_STEPS) throw malformed(text, `it has more than ${MAX_STEPS} parts`);
  const names = parts.flatMap(part => (typeof part === 'string' ? [] : part.specs.map(spec => spec.name)));
  return {
    text,
    variables: [...new Set(names)],
    expand: values =>
      parts.map(part => (typeof part === 'string' ? part : expandExpression(part, values))).join(''),
    match: (uri, options) => matchSteps(steps, uri, options?.allowEscapes ?? false),
  };
}

import { UsageError } from '../base/errors.js';
import { expandExpression } from './uri-template/expand.js';
import { compileTemplate, type TemplateMatcher } from './uri-template/matcher.js';
import type { TemplateValue } from './uri-template/value.js';

export type { MatchOptions } from './uri-template/matcher.js';
export type { TemplateValue } from './uri-template/value.js';
export type { TemplateVariables } from './uri-template/variables.js';

/** A URI template that can be expanded, and matched against a URI. */
export interface UriTemplate extends TemplateMatcher {
  /** The URI for these values. */
  expand(values: Readonly<Record<string, TemplateValue>>): string;
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
  if (typeof text !== 'string') throw new UsageError('parseTemplate needs a text, such as "menu://{day}"');
  const { parts, matcher } = compileTemplate(text);
  return {
    ...matcher,
    expand: values =>
      parts.map(part => (typeof part === 'string' ? part : expandExpression(part, values))).join(''),
  };
}

import { quoteBriefly } from '../base/json.js';
import { parseUrl } from '../base/url.js';
import { isRoot } from '../protocol/root.js';

/**
 * Why roots cannot be sent; undefined if they can.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root
 */
export function rootsProblem(roots: unknown): string | undefined {
  if (!Array.isArray(roots) || !roots.every(isRoot)) return 'roots must be a list of objects with a `uri`';
  const wrong = roots.find(({ uri }) => !parseUrl(uri) || !/^file:\/\//i.test(uri) || climbs(uri));
  return wrong && `the root ${quoteBriefly(wrong.uri)} must be a file:// URI without ".."`;
}

/** Whether a URI contains a step to the parent folder, also an encoded one. */
function climbs(uri: string): boolean {
  return /(^|[/\\])\.\.([/\\]|$)/.test(
    uri.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\'),
  );
}

import { UsageError } from '../base/errors.js';
import { isMetaKey } from './meta.js';

/**
 * Throws if the id of an extension is malformed, or has no prefix.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function checkExtensions(extensions: object = {}): void {
  const wrong = Object.keys(extensions).find(id => !isMetaKey(id) || !/^[^/]+\/[^/]+$/.test(id));
  if (wrong === undefined) return;
  throw new UsageError(`the extension "${wrong}" needs a name with a prefix: com.example/search`);
}

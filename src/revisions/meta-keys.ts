import { UsageError } from '../base/errors.js';
import { isReservedUnder, mayAttachUnder, type ReservedRule } from '../protocol/meta-key.js';
import { findRevision } from './index.js';
import { LATEST_REVISION, SUPPORTED_REVISIONS } from './names.js';

/**
 * Whether the prefix of a `_meta` key is reserved for the protocol, by the rule of a revision; the newest one by
 * default. Throws a `UsageError` for a revision that Tenon does not speak.
 *
 * @example
 * isReservedMetaKey('dev.mcp/table'); // true
 * isReservedMetaKey('mcp.dev/table'); // false
 * isReservedMetaKey('mcp.dev/table', '2025-06-18'); // true
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function isReservedMetaKey(key: string, revision: string = LATEST_REVISION): boolean {
  return isReservedUnder(ruleOf(revision), key);
}

/**
 * Whether an application may put this key into `_meta`: it is well formed, and the protocol does not use it, by the
 * rule of a revision; the newest one by default.
 *
 * @example
 * mayAttachMetaKey('com.example/table'); // true
 * mayAttachMetaKey('progressToken'); // false
 * mayAttachMetaKey('mcp.dev/table', '2025-06-18'); // false
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function mayAttachMetaKey(key: string, revision: string = LATEST_REVISION): boolean {
  return mayAttachUnder(ruleOf(revision), key);
}

function ruleOf(revision: string): ReservedRule {
  const found = findRevision(revision);
  if (found) return found.reservedMetaKeys;
  throw new UsageError(`there is no revision "${revision}"; there are ${SUPPORTED_REVISIONS.join(', ')}`);
}

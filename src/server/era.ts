import { isObject, type JsonObject } from '../base/json.js';
import { HEADER } from '../protocol/headers.js';
import { META } from '../protocol/meta.js';
import { findLegacy, findRevision, type Revision } from '../revisions/index.js';

/** Methods that exist only in the revision whose requests carry an envelope. */
const MODERN_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/**
 * Selects the era of a message. An envelope decides, unless it belongs to a session and names a revision that has
 * sessions; without an envelope, a method or a version header that only one era has.
 * A modern request without its envelope then gets an error about the envelope, not about a missing handshake.
 */
export function selectEra(
  message: { method?: unknown; params?: unknown },
  header?: (name: string) => string | undefined,
  hasSession: boolean = header?.(HEADER.sessionId) !== undefined,
): Revision['era'] {
  const meta = isObject(message.params) ? (message.params as JsonObject)._meta : undefined;
  const version = isObject(meta) ? meta[META.protocolVersion] : undefined;
  if (version !== undefined) return hasSession && findLegacy(version as string) ? 'legacy' : 'modern';
  if (message.method === 'initialize') return 'legacy';
  if (MODERN_METHODS.has(message.method as string)) return 'modern';
  return isModernVersion(header?.(HEADER.protocolVersion)) ? 'modern' : 'legacy';
}

/** Whether a version header, if there is one, names a revision whose requests carry an envelope. */
export function isModernVersion(version: string | undefined): boolean {
  return version !== undefined && findRevision(version)?.era === 'modern';
}

import { isObject, type JsonObject } from '../base/json.js';
import { HEADER } from '../protocol/headers.js';
import { META } from '../protocol/meta.js';
import { findRevision, type Revision } from '../revisions/index.js';

/** Methods that exist only in the revision whose requests carry an envelope. */
const MODERN_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/** The keys that only the envelope of a request has. */
const ENVELOPE = [META.protocolVersion, META.clientCapabilities, META.clientInfo];

/**
 * Selects the era of a message. Without a session an envelope decides, even an incomplete one; without an envelope, a
 * method or a version header that only one era has. A modern request without its envelope then gets an error about the
 * envelope, not about a missing handshake.
 *
 * In a session the keys of an envelope have no meaning, unless the request names a modern version where its transport
 * wants it: in the header, or in the envelope if there are no headers.
 */
export function selectEra(
  message: { method?: unknown; params?: unknown },
  header?: (name: string) => string | undefined,
  hasSession: boolean = header?.(HEADER.sessionId) !== undefined,
): Revision['era'] {
  const params = isObject(message.params) ? message.params : {};
  const meta: JsonObject = isObject(params._meta) ? params._meta : {};
  const version = meta[META.protocolVersion];
  if (message.method === 'initialize') return !hasSession && isModernVersion(version) ? 'modern' : 'legacy';
  const isModern = hasSession
    ? isModernVersion(header ? header(HEADER.protocolVersion) : version)
    : ENVELOPE.some(key => meta[key] !== undefined) ||
      MODERN_METHODS.has(message.method as string) ||
      isModernVersion(header?.(HEADER.protocolVersion));
  return isModern ? 'modern' : 'legacy';
}

/** Whether a version, if there is one, names a revision whose requests carry an envelope. */
export function isModernVersion(version: unknown): boolean {
  return findRevision(version as string)?.era === 'modern';
}

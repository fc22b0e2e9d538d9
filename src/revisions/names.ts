import { LEGACY, MODERN, REVISIONS, type Revision } from './index.js';

/**
 * The names of all revisions that Tenon speaks, newest first.
 *
 * @example
 * const isKnown = SUPPORTED_REVISIONS.includes(client.revision);
 *
 * @see https://modelcontextprotocol.io/specification/versioning
 */
export const SUPPORTED_REVISIONS: readonly string[] = REVISIONS.map(nameOf);

/**
 * The revisions whose requests carry an envelope and need no handshake, newest first.
 *
 * @example
 * const isStateless = STATELESS_REVISIONS.includes(request.params._meta[META.protocolVersion]);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export const STATELESS_REVISIONS: readonly string[] = MODERN.map(nameOf);

/**
 * The revisions that begin with `initialize`, newest first.
 *
 * @example
 * const protocolVersion = HANDSHAKE_REVISIONS.includes(asked) ? asked : HANDSHAKE_REVISIONS[0];
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export const HANDSHAKE_REVISIONS: readonly string[] = LEGACY.map(nameOf);

/**
 * The newest revision that Tenon speaks.
 *
 * @example
 * const meta = { [META.protocolVersion]: LATEST_REVISION, [META.clientCapabilities]: {} };
 *
 * @see https://modelcontextprotocol.io/specification/versioning
 */
export const LATEST_REVISION: string = nameOf(REVISIONS[0] as Revision);

function nameOf({ name }: Revision): string {
  return name;
}

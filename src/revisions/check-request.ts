import { clip } from '../base/clip.js';
import { isObject } from '../base/json.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { HEADER } from '../protocol/headers.js';
import { type RequestMeta, readRequestMeta } from '../protocol/request-meta.js';
import { findLegacy, findRevision } from './index.js';
import { SUPPORTED_REVISIONS } from './names.js';

/** Options of `checkRequest`. */
export interface CheckOptions {
  /**
   * The revisions that the server speaks; by default all that Tenon speaks. An error lists them. A request with an
   * envelope is accepted only in those that need no handshake.
   */
  supported?: readonly string[] | undefined;
  /** Reads a header of the request by its lower-case name. Leave it out if the transport has no headers. */
  header?: ((name: string) => string | undefined) | undefined;
}

/**
 * Checks a request with an envelope, in this order; the first check that fails decides:
 *
 * 1. the envelope is there and well formed, else `-32602`;
 * 2. the version header, if the transport has headers, has the same version, else `-32020`;
 * 3. the version is supported, else `-32022` with the supported versions.
 *
 * A client whose header and envelope differ gets that error before the one about an unknown version. Whether the method
 * exists is not checked here.
 *
 * @example
 * const checked = checkRequest(body, { header: name => request.headers.get(name) ?? undefined });
 * if (checked instanceof McpError) return respond(httpStatus(checked.code), checked);
 * console.log(checked.protocolVersion, checked.clientCapabilities);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function checkRequest(body: unknown, options: CheckOptions = {}): RequestMeta | McpError {
  const { supported = SUPPORTED_REVISIONS, header: readHeader } = options;
  const params = isObject(body) ? body.params : undefined;
  const envelope = readRequestMeta(isObject(params) ? params._meta : undefined);
  if (typeof envelope === 'string') return new McpError(ERROR.invalidParams, envelope);
  const { protocolVersion } = envelope;
  if (readHeader) {
    const header = readHeader(HEADER.protocolVersion);
    if (header !== protocolVersion)
      return new McpError(ERROR.headerMismatch, versionMismatch(header, protocolVersion));
  }
  const isServed = supported.includes(protocolVersion) && !findLegacy(protocolVersion);
  return isServed ? envelope : unsupportedVersion(protocolVersion, supported);
}

function versionMismatch(header: string | undefined, version: string): string {
  if (header === undefined)
    return `the MCP-Protocol-Version header is missing; it must be ${clip(version)} as in _meta`;
  return `the MCP-Protocol-Version header says ${clip(header)}, but _meta says ${clip(version)}`;
}

/** The error for a version that cannot be used in this way. Its list has the versions to try instead. */
export function unsupportedVersion(
  requested: string,
  supported: readonly string[] = SUPPORTED_REVISIONS,
): McpError {
  const others = supported.filter(name => name !== requested);
  const absent = findRevision(requested) ? 'is not served here' : 'is not known here';
  const why = supported.includes(requested) ? 'begins with initialize and has no envelope' : absent;
  const message = `unsupported protocol version: ${clip(requested)} ${why}; use one of ${others.join(', ')}`;
  return new McpError(ERROR.unsupportedVersion, message, { supported: others, requested });
}

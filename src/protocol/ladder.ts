import { isObject } from '../base/json.js';
import { ERROR, McpError } from './errors.js';
import { HEADER } from './headers.js';
import { type RequestMeta, readRequestMeta } from './request-meta.js';

/**
 * The checks that every request with an envelope passes, in order; the first that fails decides:
 *
 * 1. the envelope is there and well formed, else `-32602`;
 * 2. the version header, where there are headers, says the same version, else `-32020`;
 * 3. the version is supported, else `-32022` with the versions that are.
 *
 * A client that disagrees with itself is told so before it is told that its version is unknown. Whether
 * the method exists is not decided here.
 *
 * @example
 * const rung = climbLadder(body, { supported, header: name => headers.get(name) ?? undefined });
 * if (rung instanceof McpError) respond(httpStatus(rung.code), rung);
 */
export function climbLadder(
  body: unknown,
  options: { supported: readonly string[]; header?: ((name: string) => string | undefined) | undefined },
): RequestMeta | McpError {
  const params = isObject(body) ? body.params : undefined;
  const envelope = readRequestMeta(isObject(params) ? params._meta : undefined);
  if (typeof envelope === 'string') return new McpError(ERROR.invalidParams, envelope);
  const { protocolVersion } = envelope;
  if (options.header) {
    const header = options.header(HEADER.protocolVersion);
    if (header !== protocolVersion)
      return new McpError(ERROR.headerMismatch, versionMismatch(header, protocolVersion));
  }
  if (!options.supported.includes(protocolVersion))
    return unsupportedVersion(protocolVersion, options.supported);
  return envelope;
}

/** The HTTP status that goes with an error code found by the checks before a handler runs. */
export function httpStatus(code: number): number {
  return STATUS.get(code) ?? 200;
}

const STATUS: ReadonlyMap<number, number> = new Map([
  [ERROR.parse, 400],
  [ERROR.invalidRequest, 400],
  [ERROR.invalidParams, 400],
  [ERROR.headerMismatch, 400],
  [ERROR.missingCapability, 400],
  [ERROR.unsupportedVersion, 400],
  [ERROR.methodNotFound, 404],
]);

export function unsupportedVersion(requested: string, supported: readonly string[]): McpError {
  return new McpError(ERROR.unsupportedVersion, `unsupported protocol version: ${requested}`, {
    supported: [...supported],
    requested,
  });
}

function versionMismatch(header: string | undefined, version: string): string {
  if (header === undefined)
    return `the MCP-Protocol-Version header is missing; it must be ${version} as in _meta`;
  return `the MCP-Protocol-Version header says ${header}, but _meta says ${version}`;
}

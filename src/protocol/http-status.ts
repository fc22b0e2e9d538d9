import { ERROR } from './errors.js';

/**
 * The HTTP status for an error code. Codes without one, such as those that handlers throw, get the default.
 *
 * @example
 * httpStatus(ERROR.methodNotFound); // 404
 * httpStatus(ERROR.internal); // 200
 * httpStatus(ERROR.internal, 500); // 500
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages-to-the-server
 */
export function httpStatus(code: number, otherwise = 200): number {
  return STATUS.get(code) ?? otherwise;
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

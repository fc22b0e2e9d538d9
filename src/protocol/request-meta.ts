import { isObject, type JsonObject } from '../base/json.js';
import type { ClientCapabilities, Implementation } from './capabilities.js';
import { isLogLevel, type LogLevel } from './logging.js';
import { META } from './meta.js';
import { readTraceContext, type TraceContext } from './trace-context.js';

/** The longest id of a request, and the longest progress token: many messages may have to repeat them. */
export const MAX_ID_LENGTH = 1024;

/** The metadata of a modern request, from `_meta`. */
export interface RequestMeta {
  protocolVersion: string;
  clientInfo: Implementation | undefined;
  clientCapabilities: ClientCapabilities;
  logLevel: LogLevel | undefined;
  progressToken: string | number | undefined;
  trace: TraceContext | undefined;
}

/**
 * Reads the envelope of a request; a string describes what is missing or malformed.
 *
 * @example
 * const envelope = readRequestMeta(request.params._meta);
 * if (typeof envelope === 'string') throw invalidParams(envelope);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function readRequestMeta(meta: unknown): RequestMeta | string {
  if (!isObject(meta)) return `params._meta must be an object with "${META.protocolVersion}"`;
  const protocolVersion = meta[META.protocolVersion];
  if (typeof protocolVersion !== 'string')
    return `params._meta must have the string "${META.protocolVersion}"`;
  const clientCapabilities = meta[META.clientCapabilities];
  if (!isObject(clientCapabilities)) return `params._meta must have the object "${META.clientCapabilities}"`;
  const clientInfo = meta[META.clientInfo];
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return `"${META.clientInfo}" must be an object with a name and a version`;
  }
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel)) return `"${META.logLevel}" is not a log level`;
  return {
    protocolVersion,
    clientInfo,
    clientCapabilities,
    logLevel,
    progressToken: readProgressToken(meta),
    trace: meta.traceparent === undefined && meta.baggage === undefined ? undefined : readTraceContext(meta),
  };
}

/**
 * The token for progress notifications of a request. Without a valid one there are none: a larger number would come back as
 * another one.
 */
export function readProgressToken(meta: JsonObject): string | number | undefined {
  const token = meta.progressToken;
  if (typeof token === 'string') return token.length <= MAX_ID_LENGTH ? token : undefined;
  return Number.isSafeInteger(token) ? (token as number) : undefined;
}

export function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string';
}

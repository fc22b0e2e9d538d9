import { clip } from '../../base/clip.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Request } from '../../jsonrpc/message.js';
import { hasTarget, targetOf } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { decodeHeaderValue, HEADER } from '../../protocol/headers.js';
import type { ParameterHeader } from '../../protocol/parameter-headers.js';
import type { Service } from '../../protocol/service.js';
import { MODERN } from '../../revisions/index.js';
import { ON_DEMAND } from '../loading.js';
import type { Exchange } from './exchange.js';

/*
 * The rules for the headers of a request:
 *
 * - `MCP-Protocol-Version`: with an envelope, it must be the version in the envelope, else `-32020` (checked in
 *   `revisions/check-request.ts`, because that comes before the version itself is checked); with a session, any
 *   handshake revision that is served, or no header, else 400, with `-32022` if the revision is unknown or not served;
 *   the same for `initialize`, but there any known revision will do (checked in `legacy/session-headers.ts`).
 * - `Mcp-Method`, `Mcp-Name`, `Mcp-Param-*`: with an envelope, they must match the body, else `-32020`; ignored with
 *   a session.
 * - `Mcp-Session-Id`: without an envelope, it must name a session (400 without it, 404 if the session is over);
 *   ignored otherwise.
 *
 * The era of a request is selected in `server/era.ts`; `Host` and `Origin` are checked in `host-and-origin.ts`, and
 * media types in `media-types.ts`.
 */

/**
 * Returns the error `-32020` if the headers that mirror the body of a request with an envelope do not match it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function checkMirroredHeaders(
  service: Service,
  exchange: Exchange,
  request: Request,
  caller: Caller | undefined,
): Awaitable<McpError | undefined> {
  const mismatch = methodMismatch(exchange, request) ?? nameMismatch(service, exchange, request);
  if (mismatch !== undefined) return headerMismatch(mismatch);
  const { method, params } = request;
  if (method !== 'tools/call' || typeof params.name !== 'string') return undefined;
  return andThen(service.parameterHeaders(params, caller), mirrored =>
    mirrored.length === 0 ? undefined : checkArguments(mirrored, exchange, params),
  );
}

function headerMismatch(problem: string): McpError {
  return new McpError(ERROR.headerMismatch, problem);
}

function methodMismatch(exchange: Exchange, { method }: Request): string | undefined {
  const header = exchange.header(HEADER.method);
  if (header === undefined) return 'the Mcp-Method header is missing';
  return header === method
    ? undefined
    : `the Mcp-Method header says ${clip(header)}, but the body says ${clip(method)}`;
}

/** Whether requests of a method name their target in `Mcp-Name`. */
function isNamed({ claims }: Service, method: string): boolean {
  return hasTarget(method) && (MODERN[0]?.requests.has(method) || claims?.messages.has(method) === true);
}

function nameMismatch(service: Service, exchange: Exchange, { method, params }: Request): string | undefined {
  if (!isNamed(service, method)) return undefined;
  const target = targetOf(method, params);
  const header = exchange.header(HEADER.name);
  if (header === undefined) return 'the Mcp-Name header is missing';
  if (target === undefined) return `the Mcp-Name header says ${clip(header)}, but the body names nothing`;
  // Unlike a method, a name may contain a comma, so repeated headers that were joined could pass as one name.
  if (exchange.isRepeated(HEADER.name)) return 'the Mcp-Name header must not be repeated';
  const name = decodeHeaderValue(header);
  if (name === undefined) return 'the Mcp-Name header is not encoded correctly';
  return name === target
    ? undefined
    : `the Mcp-Name header says ${clip(name)}, but the body says ${clip(target)}`;
}

/** Few tools mirror arguments in headers. */
function checkArguments(
  mirrored: readonly ParameterHeader[],
  exchange: Exchange,
  params: JsonObject,
): Awaitable<McpError | undefined> {
  const repeated = mirrored.find(({ header }) => exchange.isRepeated(header));
  if (repeated) return headerMismatch(`the ${repeated.header} header must not be repeated`);
  const args = isObject(params.arguments) ? params.arguments : {};
  return andThen(ON_DEMAND.get(), ({ parameterHeaderMismatch }) => {
    const problem = parameterHeaderMismatch(mirrored, args, name => exchange.header(name));
    return problem === undefined ? undefined : headerMismatch(problem);
  });
}

import { Cancelled } from '../../../base/errors.js';
import { isObject } from '../../../base/json.js';
import type { Request } from '../../../jsonrpc/message.js';
import { targetOf } from '../../../protocol/call.js';
import { type Caller, hasExpired } from '../../../protocol/caller.js';
import { ERROR, McpError } from '../../../protocol/errors.js';
import { decodeHeaderValue, HEADER, parameterHeaderMismatch } from '../../../protocol/headers.js';
import { httpStatus } from '../../../protocol/ladder.js';
import type { Service } from '../../../protocol/service.js';
import type { ModernCall } from '../../modern/call.js';
import type { ModernServer } from '../../modern/responder.js';
import type { InFlight } from '../../running-calls.js';
import type { Exchange } from '../exchange.js';
import { Reply } from '../reply.js';

export interface ModernHttp {
  /** Answers one request with an envelope: checks its headers against its body, and cancels on disconnect. */
  post(exchange: Exchange, request: Request, caller: Caller | undefined): void;
}

export function createModernHttp(
  service: Service,
  modern: ModernServer,
  options: { heartbeatMs: number; inFlight: InFlight },
): ModernHttp {
  const { inFlight } = options;
  const reject = (exchange: Exchange, request: Request, error: McpError) => {
    const { text, code } = modern.refuse(request.id, error);
    exchange.respond(httpStatus(code as number), text);
  };

  return {
    post(exchange, request, caller) {
      const envelope = modern.check(request, name => exchange.header(name));
      if (envelope instanceof McpError) return reject(exchange, request, envelope);
      const mismatch = headerMismatch(service, exchange, request);
      if (mismatch) return reject(exchange, request, new McpError(ERROR.headerMismatch, mismatch));

      const reply = new Reply(exchange, options.heartbeatMs);
      const call = modern.open(request, envelope, reply, caller);
      exchange.onDisconnect(() => call.cancellation.abort(new Cancelled('the client disconnected')));
      if (request.method === 'subscriptions/listen') reply.onBeat = () => endWithToken(call);
      const deliver = inFlight.watch(call, answer => reply.finish(answer, statusOf(answer?.code)));
      modern.respond(call, deliver);
    },
  };
}

/** Cuts a stream off without its closing result, so that the client knows that it should come back. */
function endWithToken({ caller, cancellation }: ModernCall): void {
  if (hasExpired(caller)) cancellation.abort(new Cancelled('the access token has expired'));
}

/** Errors of a handler are answers like any other, except those whose page names a status. */
function statusOf(code: number | undefined): number {
  return code === ERROR.methodNotFound || code === ERROR.missingCapability ? httpStatus(code) : 200;
}

/** Why the headers that mirror the body do not; undefined if they do. */
function headerMismatch(service: Service, exchange: Exchange, request: Request): string | undefined {
  const { method, params } = request;
  const methodHeader = exchange.header(HEADER.method);
  if (methodHeader === undefined) return 'the Mcp-Method header is missing';
  if (methodHeader !== method)
    return `the Mcp-Method header says ${methodHeader}, but the body says ${method}`;
  const isNamed = NAMED.has(method);
  const target = isNamed ? targetOf(method, params) : undefined;
  const header = isNamed ? exchange.header(HEADER.name) : undefined;
  if (target === undefined && header !== undefined)
    return `the Mcp-Name header says ${header}, but the body names nothing`;
  if (target !== undefined) {
    if (header === undefined) return 'the Mcp-Name header is missing';
    // Of the names in headers only this one can have a comma, as several headers that were joined do.
    if (exchange.isRepeated(HEADER.name)) return 'the Mcp-Name header must not be repeated';
    const name = decodeHeaderValue(header);
    if (name === undefined) return 'the Mcp-Name header is not encoded correctly';
    if (name !== target) return `the Mcp-Name header says ${name}, but the body says ${target}`;
  }
  return method === 'tools/call' && target !== undefined
    ? argumentMismatch(service, exchange, target, params.arguments)
    : undefined;
}

const NAMED: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

function argumentMismatch(
  service: Service,
  exchange: Exchange,
  tool: string,
  args: unknown,
): string | undefined {
  const mirrored = service.parameterHeaders(tool);
  if (mirrored.length === 0) return undefined;
  const repeated = mirrored.find(({ header }) => exchange.isRepeated(header));
  if (repeated) return `the ${repeated.header} header must not be repeated`;
  return parameterHeaderMismatch(mirrored, isObject(args) ? args : {}, name => exchange.header(name));
}

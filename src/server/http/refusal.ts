import { errorText, type RequestId } from '../../jsonrpc/message.js';
import { ERROR, type McpError } from '../../protocol/errors.js';
import { RETRY_AFTER_MS } from '../limits.js';
import { BodyProblem, type Exchange } from './exchange.js';

/** Refuses a request with an HTTP status and a JSON-RPC error that says why. */
export function refuse(
  exchange: Exchange,
  status: number,
  message: string,
  details: {
    code?: number;
    data?: unknown;
    id?: RequestId | undefined;
    headers?: Record<string, string>;
  } = {},
): void {
  const { code = ERROR.invalidRequest, data, id, headers } = details;
  exchange.respond(status, errorText(id, { code, message, data }), headers);
}

/** An error that has an HTTP status: there is no memory for the request, or no store. */
export type RefusalError = McpError & { readonly status: number };

/** Refuses a request whose body cannot be read, or that cannot be served now; then it says when to try again. */
export function refuseFor(exchange: Exchange, problem: BodyProblem | RefusalError, id?: RequestId): void {
  const { status, message } = problem;
  if (problem instanceof BodyProblem) return refuse(exchange, status, message);
  const { code, data } = problem;
  const headers = data ? { 'retry-after': `${RETRY_AFTER_MS / 1000}` } : undefined;
  exchange.respond(status, errorText(id, { code, message, data }), headers);
}

import { errorText, type RequestId } from '../../jsonrpc/message.js';
import { ERROR } from '../../protocol/errors.js';
import type { Exchange } from './exchange.js';

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

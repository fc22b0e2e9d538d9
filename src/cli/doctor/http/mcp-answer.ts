import { readEvents } from './event-text.js';
import type { Exchange } from './exchange.js';

/** Whether an answer to a request can only be that of an MCP server: a JSON-RPC response, or a demand for a token. */
export function isMcpAnswer({ status, answer, headers }: Exchange): boolean {
  if (answer) return true;
  return status === 401 && /resource_metadata/i.test(headers['www-authenticate'] ?? '');
}

/** Whether a stream begins as that of the HTTP+SSE transport does. */
export function isSseOpening({ status, body }: Exchange): boolean {
  return status === 200 && readEvents(body)[0]?.event === 'endpoint';
}

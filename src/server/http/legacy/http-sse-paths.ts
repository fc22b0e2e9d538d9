import { HEADER } from '../../../protocol/headers.js';
import type { Exchange } from '../exchange.js';

/** Where the two endpoints of the old HTTP+SSE transport are. */
export interface LegacySsePaths {
  stream: string;
  messages: string;
}

/** The paths that the option `sse` of a handler stands for: none, the usual ones, or others. */
export function ssePaths(option: boolean | LegacySsePaths | undefined): LegacySsePaths | undefined {
  return option === true ? { stream: '/sse', messages: '/messages' } : option || undefined;
}

/** Whether an exchange is for one of the two endpoints. */
export function isForSse({ stream, messages }: LegacySsePaths, exchange: Exchange): boolean {
  const { path, method } = exchange;
  if (path === messages && method === 'POST') return true;
  // A client with a session has opened it with the newer transport, which is served on every path.
  return path === stream && method === 'GET' && exchange.header(HEADER.sessionId) === undefined;
}

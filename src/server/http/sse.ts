/** The headers of an event stream. */
export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Without this, proxies such as nginx buffer events.
  'x-accel-buffering': 'no',
};

/** A comment that keeps proxies and clients from closing a quiet stream. */
export const HEARTBEAT = ':\n\n';

/** One message as a server-sent event. JSON text has no line breaks, so one data line is enough. */
export function messageEvent(text: string, id?: string): string {
  return id === undefined
    ? `event: message\ndata: ${text}\n\n`
    : `event: message\nid: ${id}\ndata: ${text}\n\n`;
}

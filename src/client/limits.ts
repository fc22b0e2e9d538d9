/** How long a request may take without an answer or progress. */
export const TIMEOUT_MS = 60_000;
/** How long a request may take in any case. */
export const MAX_TIMEOUT_MS = 5 * 60_000;
/** How long to wait for the answer to the first question, after which the server is taken to be old. */
export const PROBE_TIMEOUT_MS = 5000;
/** A day: a subscription has no end of its own, and timers have one. */
export const LISTEN_TIMEOUT_MS = 24 * 3600_000;
/** How long a legacy server may take to open a stream: some open it only with the first thing that they say. */
export const STREAM_OPEN_TIMEOUT_MS = 1000;
/** How long to wait for a server to say that a session is over, or where messages of HTTP+SSE go. */
export const SESSION_END_TIMEOUT_MS = 2000;
export const SSE_ENDPOINT_TIMEOUT_MS = 10_000;

/** The largest message that is read, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** What is read of a body that is no answer. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** How many questions of a server are answered at the same time. */
export const MAX_QUESTIONS = 100;

/** How long a request may take, in milliseconds. */
export interface TimeLimits {
  /** Without an answer or progress. */
  readonly timeoutMs: number;
  /** In any case. */
  readonly maxTimeoutMs: number;
}

/** The limits of a request: its own, else those of its client, else the usual ones. */
export function timeLimits(
  own: { readonly [name in keyof TimeLimits]?: number | undefined },
  client: { readonly [name in keyof TimeLimits]?: number | undefined } = {},
): TimeLimits {
  const timeoutMs = own.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS;
  const maxTimeoutMs = own.maxTimeoutMs ?? Math.max(client.maxTimeoutMs ?? MAX_TIMEOUT_MS, timeoutMs);
  return { timeoutMs, maxTimeoutMs };
}

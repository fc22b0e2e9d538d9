/** How long a request may take without a response or progress. */
export const TIMEOUT_MS = 60_000;
/** How long a request may take in total. */
export const MAX_TIMEOUT_MS = 5 * 60_000;
/** How long to wait for the response to the probe, before the handshake is tried. */
export const PROBE_TIMEOUT_MS = 5000;
/** A day: a subscription has no end of its own, but a request needs some timeout. */
export const LISTEN_TIMEOUT_MS = 24 * 3600_000;
/** How long a legacy server may take to open a stream: some send the headers only with their first message. */
export const STREAM_OPEN_TIMEOUT_MS = 1000;
/** How long to wait for a server to confirm the end of a session, or to name its HTTP+SSE endpoint. */
export const SESSION_END_TIMEOUT_MS = 2000;
export const SSE_ENDPOINT_TIMEOUT_MS = 10_000;
/** How long middleware may go on after the limits of its request, to answer in another way. */
export const MIDDLEWARE_GRACE_MS = 100;
/** How long an extension that carries out a call may go on after the call was cancelled, to end it at the server. */
export const EXTENSION_GRACE_MS = 10_000;

/** The largest message that is read, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** How many characters may wait for a server that does not read. One message is taken, however long it is. */
export const MAX_UNSENT = 32 * 1024 * 1024;
/** How many bytes of an error response are read. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** How many questions of a server are handled at the same time. */
export const MAX_QUESTIONS = 100;
/** How many further questions are refused with an answer, while earlier refusals are being sent. */
export const MAX_REFUSALS = 1000;

/** How long a request may take, in milliseconds. */
export interface TimeLimits {
  /** Without a response or progress. */
  readonly timeoutMs: number;
  /** In total. */
  readonly maxTimeoutMs: number;
}

/** The limits of a request: its own, else those of its client, else the defaults. */
export function timeLimits(
  own: { readonly [name in keyof TimeLimits]?: number | undefined },
  client: { readonly [name in keyof TimeLimits]?: number | undefined } = {},
): TimeLimits {
  const timeoutMs = own.timeoutMs ?? client.timeoutMs ?? TIMEOUT_MS;
  const maxTimeoutMs = own.maxTimeoutMs ?? Math.max(client.maxTimeoutMs ?? MAX_TIMEOUT_MS, timeoutMs);
  return { timeoutMs, maxTimeoutMs };
}

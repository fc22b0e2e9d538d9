import { checkOptions, type OptionNames } from '../base/options.js';
import {
  type ClientMiddlewareLayer,
  type ClientRequest,
  ConnectionError,
  ERROR,
  HttpError,
  McpError,
} from '../client/index.js';
import { checkAtLeast } from './check.js';

/** Options of `retry`. */
export interface RetryOptions {
  /** How often a request is sent in all: 4 times by default. */
  attempts?: number | undefined;
  /** The pause before the second attempt; it doubles each time. 250 milliseconds by default. */
  firstPauseMs?: number | undefined;
  /** The longest pause, also of those that a server asks for: 30 seconds by default. */
  maxPauseMs?: number | undefined;
  /** Whether a request may be sent again; by default those that only read: lists, resources and prompts. */
  isSafe?: ((request: ClientRequest) => boolean) | undefined;
}

const RETRY_OPTIONS: OptionNames<RetryOptions> = {
  attempts: 1,
  firstPauseMs: 'a number, 0 or more',
  maxPauseMs: 'a number, 0 or more',
  isSafe: 'a function',
};

/** Requests without side effects. */
const READS = /^(?:tools|prompts|resources|resources\/templates)\/list$|^resources\/read$|^prompts\/get$/;

/**
 * Sends requests of a client again, with growing pauses, if the server could not be reached, failed, or is busy. A busy
 * server (`ERROR.busy`) has done nothing yet, so every request is sent again then, when the server says.
 *
 * @example
 * client.use(retry({ isSafe: ({ params }) => params.name === 'weather' }));
 */
export function retry(options: RetryOptions = {}): ClientMiddlewareLayer {
  checkOptions(options, RETRY_OPTIONS, 'retry');
  const { attempts = 4, firstPauseMs = 250, maxPauseMs = 30_000 } = options;
  const { isSafe = ({ method }) => READS.test(method) } = options;
  checkAtLeast('attempts', attempts, 1);
  return {
    name: 'retry',
    async request(request, next) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await next();
        } catch (error) {
          const askedMs = busyFor(error);
          const mayHelp = askedMs !== undefined || (isTemporary(error) && isSafe(request));
          if (!mayHelp || attempt >= attempts || request.signal?.aborted) throw error;
          const backOffMs = Math.random() * firstPauseMs * 2 ** attempt;
          await pause(Math.min(Math.max(askedMs ?? 0, backOffMs), maxPauseMs), request.signal);
        }
      }
    },
  };
}

/** When a busy server wants to be asked again; undefined if it is not busy. */
function busyFor(thrown: unknown): number | undefined {
  // Over HTTP a busy server refuses with a status.
  const error = thrown instanceof HttpError ? thrown.cause : thrown;
  // No other code says this: those of the range for implementations mean something else on every server.
  if (!(error instanceof McpError) || error.code !== ERROR.busy) return undefined;
  const { retryAfterMs } = (error.data ?? {}) as { retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' ? retryAfterMs : 0;
}

function isTemporary(error: unknown): boolean {
  if (error instanceof HttpError) return error.status === 429 || error.status >= 500;
  if (error instanceof McpError) return error.code === ERROR.internal;
  return error instanceof ConnectionError;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}

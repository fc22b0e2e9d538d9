import { type MiddlewareLayer, RoundEnded } from '../server/index.js';

/** How long a request took. */
export interface Timed {
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string | undefined;
  readonly durationMs: number;
  /** Whether it ended with a question, on a revision where the client sends the request again with the answer. */
  readonly hasAsked: boolean;
  /** The error, if the request failed. */
  readonly error: unknown;
}

/**
 * Measures every request of a server.
 *
 * @example
 * server.use(timing(({ method, durationMs }) => histogram.record(durationMs, { method })));
 */
export function timing(report: (timed: Timed) => void): MiddlewareLayer {
  return {
    name: 'timing',
    async request({ method, target }, next) {
      const startedAt = performance.now();
      const tell = (error: unknown) =>
        report({
          method,
          target,
          durationMs: performance.now() - startedAt,
          hasAsked: error instanceof RoundEnded,
          error: error instanceof RoundEnded ? undefined : error,
        });
      const result = await next().catch(error => {
        tell(error);
        throw error;
      });
      tell(undefined);
      return result;
    },
  };
}

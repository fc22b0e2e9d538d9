import type { MiddlewareLayer } from '../server/index.js';

/** How long a request took. */
export interface Timed {
  readonly method: string;
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string | undefined;
  readonly durationMs: number;
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
        report({ method, target, durationMs: performance.now() - startedAt, error });
      try {
        const result = await next();
        tell(undefined);
        return result;
      } catch (error) {
        tell(error);
        throw error;
      }
    },
  };
}

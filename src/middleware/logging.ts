import type { MiddlewareLayer } from '../server/index.js';
import { timing } from './timing.js';

/** Options of `logging`. */
export interface LoggingOptions {
  /** Takes a line; standard error by default. */
  write?: ((line: string) => void) | undefined;
}

/**
 * Writes a line for every request of a server, and for every notification of a client. Parameters and results are left
 * out, because they may contain secrets.
 *
 * @example
 * server.use(logging());
 */
export function logging({ write = console.error }: LoggingOptions = {}): MiddlewareLayer {
  const { request } = timing(({ method, target, durationMs, error }) => {
    const outcome =
      error === undefined ? 'ok' : `failed: ${error instanceof Error ? error.message : 'unknown'}`;
    write(`${method}${target === undefined ? '' : ` ${target}`} ${Math.round(durationMs)} ms ${outcome}`);
  });
  return {
    name: 'logging',
    request,
    receive({ method }, next) {
      write(method);
      next();
    },
  };
}

import { checkOptions, type OptionNames } from '../base/options.js';
import type { MiddlewareLayer } from '../server/index.js';
import { timing } from './timing.js';

/** Options of `logging`. */
export interface LoggingOptions {
  /** Takes a line; standard error by default. */
  write?: ((line: string) => void) | undefined;
}

const LOGGING_OPTIONS: OptionNames<LoggingOptions> = { write: 'a function' };

/**
 * Writes a line for every request of a server, and for every notification of a client. Parameters and results are left
 * out, because they may contain secrets.
 *
 * @example
 * server.use(logging());
 */
export function logging(options: LoggingOptions = {}): MiddlewareLayer {
  checkOptions(options, LOGGING_OPTIONS, 'logging');
  const { write = console.error } = options;
  const { request } = timing(({ method, target, durationMs, hasAsked, error }) => {
    const name = target === undefined ? method : `${method} ${target}`;
    write(printable(`${name} ${Math.round(durationMs)} ms ${hasAsked ? 'asked' : outcomeOf(error)}`));
  });
  return {
    name: 'logging',
    request,
    receive({ method }, next) {
      write(printable(method));
      next();
    },
  };
}

function outcomeOf(error: unknown): string {
  return error === undefined ? 'ok' : `failed: ${error instanceof Error ? error.message : 'unknown'}`;
}

/** One line without control characters: clients choose names, and must not forge lines with them. */
function printable(line: string): string {
  return line.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

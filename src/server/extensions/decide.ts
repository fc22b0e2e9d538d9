import { UsageError } from '../../base/errors.js';
import { type Awaitable, settle } from '../../base/settle.js';

/**
 * The decision of an author's function. It is undefined if the function fails or is asynchronous, which is reported:
 * it may be called by a timer, where an error would end the process.
 */
export function decide<T>(
  run: () => Awaitable<T>,
  who: string,
  report: (error: unknown, where: string) => void,
): T | undefined {
  const decided = settle<T, T | undefined>(
    run,
    value => value,
    thrown => {
      report(thrown, who);
      return undefined;
    },
  );
  if (!(decided instanceof Promise)) return decided;
  report(new UsageError(`${who} must not be asynchronous: return the decision itself`), who);
  return undefined;
}

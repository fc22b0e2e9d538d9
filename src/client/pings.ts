import { onAbort } from '../base/abort.js';
import { inBackground } from '../base/background.js';
import { messageOf } from '../base/thrown.js';
import { McpError } from '../protocol/errors.js';
import { ConnectionError } from '../protocol/failures.js';
import type { Link } from './link.js';

/**
 * Pings a server until the signal aborts, or until a ping is not answered: `onSilence` is called then. Failures are
 * reported to `warn`, unless the ping before failed in the same way.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export function pingPeriodically(
  link: Link,
  intervalMs: number,
  signal: AbortSignal,
  onSilence: (reason: ConnectionError) => void,
  warn: (message: string) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastFailure: string | undefined;
  const ignoreSignal = onAbort(signal, () => clearTimeout(timer));
  const wait = () => {
    if (!signal.aborted && !link.isBroken) timer = inBackground(setTimeout(ping, intervalMs));
    else ignoreSignal();
  };
  const answered = () => {
    lastFailure = undefined;
    wait();
  };
  const ping = () => {
    link.ping({ signal }).then(answered, error => {
      if (signal.aborted) return wait();
      const failure = `a ping failed: ${messageOf(error)}`;
      if (failure !== lastFailure) warn(failure);
      lastFailure = failure;
      // A server that responds with an error is there.
      if (error instanceof McpError) return wait();
      ignoreSignal();
      onSilence(new ConnectionError(`the server no longer responds: ${messageOf(error)}`, { cause: error }));
    });
  };
  wait();
}

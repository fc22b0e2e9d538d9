import { onAbort } from '../base/abort.js';
import { inBackground } from '../base/background.js';
import { messageOf } from '../base/thrown.js';
import { McpError } from '../protocol/errors.js';
import { ConnectionError } from '../protocol/failures.js';
import type { Link } from './link.js';

/**
 * Pings a server until the signal aborts, or until a ping fails: `onSilence` is called then.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
 */
export function pingPeriodically(
  link: Link,
  intervalMs: number,
  signal: AbortSignal,
  onSilence: (reason: ConnectionError) => void,
): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ignoreSignal = onAbort(signal, () => clearTimeout(timer));
  const wait = () => {
    if (!signal.aborted && !link.isBroken) timer = inBackground(setTimeout(ping, intervalMs));
    else ignoreSignal();
  };
  const ping = () => {
    link.ping({ signal }).then(wait, error => {
      // A server that responds with an error is there.
      if (error instanceof McpError || signal.aborted) return wait();
      ignoreSignal();
      onSilence(new ConnectionError(`the server no longer responds: ${messageOf(error)}`, { cause: error }));
    });
  };
  wait();
}

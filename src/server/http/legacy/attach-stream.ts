import { openStream } from '../event-stream.js';
import type { Exchange, StreamWriter } from '../exchange.js';
import type { EventLog } from '../replay.js';

/** Starts an event stream that shows a log, from the event after `after` on, as long as `mayGoOn` returns true. */
export function attachStream(
  exchange: Exchange,
  log: EventLog,
  options: {
    heartbeatMs: number;
    after: number;
    prime: boolean;
    notice?: string | undefined;
    isIdle?: boolean;
    mayGoOn?: () => boolean;
  },
): StreamWriter {
  const { heartbeatMs, isIdle, mayGoOn } = options;
  const open = isIdle ? openIdleStream : openStream;
  const sink = open(exchange, heartbeatMs, () => {
    log.wasUsed = true;
    if (mayGoOn?.() === false) log.detach(sink);
  });
  exchange.onDisconnect(() => log.detach(sink));
  log.attach(sink, options);
  return sink;
}

/**
 * Starts an event stream that only waits for messages. When memory is full, and it has waited longest, it ends, and its
 * client opens another one. `onBeat` as in `openStream`.
 */
export function openIdleStream(exchange: Exchange, heartbeatMs: number, onBeat?: () => void): StreamWriter {
  const { ledger } = exchange.account;
  const waiting = {
    wasUsed: true,
    evict() {
      // Not ended: its owner has to learn that the client is gone.
      sink.abort();
      return true;
    },
  };
  const sink = openStream(exchange, heartbeatMs, () => {
    waiting.wasUsed = !sink.isFull;
    onBeat?.();
  });
  ledger.evictable.add(waiting);
  exchange.onDisconnect(() => ledger.evictable.delete(waiting));
  return sink;
}

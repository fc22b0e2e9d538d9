import { inBackground } from '../../base/background.js';
import type { Exchange, StreamWriter } from './exchange.js';
import type { EventLog } from './replay.js';
import { HEARTBEAT, SSE_HEADERS } from './sse.js';

/** Starts an event stream with heartbeats, which keep it alive while it is quiet. `onBeat` may end the stream. */
export function openStream(exchange: Exchange, heartbeatMs: number, onBeat?: () => void): StreamWriter {
  const sink = exchange.stream(200, SSE_HEADERS);
  const beat = () => {
    onBeat?.();
    if (sink.isOpen) sink.write(HEARTBEAT);
    else clearInterval(timer);
  };
  // The timer of a stream must not keep the process alive.
  const timer = inBackground(setInterval(beat, heartbeatMs));
  exchange.onDisconnect(() => clearInterval(timer));
  return {
    get isOpen() {
      return sink.isOpen;
    },
    write: text => sink.write(text),
    end() {
      clearInterval(timer);
      sink.end();
    },
  };
}

/** Starts an event stream that shows a log, from the event after `after` on, as long as `mayGoOn` returns true. */
export function attachStream(
  exchange: Exchange,
  log: EventLog,
  options: { heartbeatMs: number; after: number; prime: boolean; mayGoOn?: () => boolean },
): StreamWriter {
  const { heartbeatMs, mayGoOn } = options;
  const sink = openStream(exchange, heartbeatMs, () => {
    if (mayGoOn?.() === false) log.detach(sink);
  });
  exchange.onDisconnect(() => log.detach(sink));
  log.attach(sink, options);
  return sink;
}

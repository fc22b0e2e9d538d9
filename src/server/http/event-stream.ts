import { inBackground } from '../../base/background.js';
import { STREAM_BYTES } from '../limits.js';
import type { Exchange, StreamWriter } from './exchange.js';
import { HEARTBEAT, SSE_HEADERS } from './sse.js';

/** Starts an event stream with heartbeats, which keep it alive while it is quiet. `onBeat` may end the stream. */
export function openStream(exchange: Exchange, heartbeatMs: number, onBeat?: () => void): StreamWriter {
  const { account } = exchange;
  const sink = exchange.stream(200, SSE_HEADERS);
  const beat = () => {
    onBeat?.();
    if (!sink.isOpen) release();
    else if (!sink.isFull) sink.write(HEARTBEAT);
  };
  let bytes = STREAM_BYTES;
  const release = () => {
    clearInterval(timer);
    account.add(-bytes);
    bytes = 0;
  };
  // The timer of a stream must not keep the process alive.
  const timer = inBackground(setInterval(beat, heartbeatMs));
  account.add(bytes);
  exchange.onDisconnect(release);
  const end = sink.end.bind(sink);
  sink.end = () => {
    release();
    end();
  };
  const abort = sink.abort.bind(sink);
  sink.abort = () => {
    release();
    abort();
  };
  return sink;
}

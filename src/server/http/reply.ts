import type { AnswerText } from '../answer.js';
import type { Channel } from '../channel.js';
import { attachStream, openStream } from './event-stream.js';
import type { Exchange, StreamWriter } from './exchange.js';
import type { EventLog } from './replay.js';
import { messageEvent, SSE_HEADERS } from './sse.js';

/** Creates the log of a stream that the client may resume; `prime` as in `attachStream`. */
export type OpenLog = () => { log: EventLog; prime: boolean };

/** The response to one POST: plain JSON, or an event stream if other messages have to be sent before it. */
export class Reply implements Channel {
  /** Called with each heartbeat of a stream without a log. It may end the stream. */
  onBeat: (() => void) | undefined;
  readonly #exchange: Exchange;
  readonly #heartbeatMs: number;
  readonly #openLog: OpenLog | undefined;
  #sink: StreamWriter | undefined;
  #log: EventLog | undefined;
  #finished = false;

  /** The log is created only if the reply becomes a stream. */
  constructor(exchange: Exchange, heartbeatMs: number, openLog?: OpenLog) {
    this.#exchange = exchange;
    this.#heartbeatMs = heartbeatMs;
    this.#openLog = openLog;
  }

  get isStreaming(): boolean {
    return this.#sink !== undefined;
  }

  send(text: string): void {
    if (this.#finished) return;
    this.#write(this.#open(), text);
  }

  /** Ends the connection; later messages go to the log. */
  close(): void {
    if (this.#finished || !this.#openLog) return;
    this.#open();
    this.#log?.detach();
  }

  /**
   * Sends the final response; undefined if the client has cancelled the request. Even then an empty stream is sent,
   * because 202 is only for messages that need no response.
   */
  finish(answer: AnswerText | undefined, status: number): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#sink) {
      if (answer) this.#write(this.#sink, answer.text);
      this.#log?.end();
      this.#sink.end();
    } else if (answer) this.#exchange.respond(status, answer.text);
    else this.#exchange.stream(200, SSE_HEADERS).end();
  }

  #open(): StreamWriter {
    if (this.#sink) return this.#sink;
    const kept = this.#openLog?.();
    const heartbeatMs = this.#heartbeatMs;
    this.#log = kept?.log;
    this.#sink = kept
      ? attachStream(this.#exchange, kept.log, { heartbeatMs, after: 0, prime: kept.prime })
      : openStream(this.#exchange, heartbeatMs, () => this.onBeat?.());
    return this.#sink;
  }

  #write(sink: StreamWriter, text: string): void {
    if (this.#log) this.#log.append(text);
    else sink.write(messageEvent(text));
  }
}

import type { JsonObject } from '../../base/json.js';
import type { NoticeRates } from '../../protocol/service.js';
import type { AnswerText } from '../answer.js';
import type { Channel } from '../channel.js';
import { PacedNotices } from '../paced-notices.js';
import { openStream } from './event-stream.js';
import type { Exchange, StreamWriter } from './exchange.js';
import type { EventLog } from './replay.js';
import { messageEvent, SSE_HEADERS } from './sse.js';

/** Starts a stream that the client may resume. */
export type OpenLog = () => { log: EventLog; sink: StreamWriter };

export interface ReplyOptions {
  heartbeatMs: number;
  rates: NoticeRates;
}

/** The response to one POST: plain JSON, or an event stream if other messages have to be sent before it. */
export class Reply implements Channel {
  /** Called with each heartbeat of a stream without a log. It may end the stream. */
  onBeat: (() => void) | undefined;
  readonly #exchange: Exchange;
  readonly #options: ReplyOptions;
  readonly #openLog: OpenLog | undefined;
  #sink: StreamWriter | undefined;
  #log: EventLog | undefined;
  #notices: PacedNotices | undefined;
  #finished = false;

  /** The log is created only if the reply becomes a stream. */
  constructor(exchange: Exchange, options: ReplyOptions, openLog?: OpenLog) {
    this.#exchange = exchange;
    this.#options = options;
    this.#openLog = openLog;
  }

  get isAbandoned(): boolean {
    return this.#log?.isAbandoned ?? false;
  }

  send(text: string): void {
    if (this.#finished) return;
    this.#write(this.#open(), text);
  }

  notify(method: string, params: JsonObject): void {
    if (this.#finished) return;
    this.#notices ??= this.#pace(this.#open());
    this.#notices.notify(method, params);
  }

  announce(text: string): void {
    if (this.#sink?.isFull) this.#sink.abort();
    else this.send(text);
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
    if (answer) this.#notices?.flush();
    else this.#notices?.stop();
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
    this.#log = kept?.log;
    this.#sink = kept?.sink ?? openStream(this.#exchange, this.#options.heartbeatMs, () => this.onBeat?.());
    return this.#sink;
  }

  #pace(sink: StreamWriter): PacedNotices {
    // The client may resume a log on another connection.
    const reader = this.#log ?? sink;
    const notices = new PacedNotices(
      text => {
        if (!this.#finished) this.#write(sink, text);
      },
      () => reader.isFull,
      this.#options.rates,
    );
    reader.onDrain = () => notices.flush();
    return notices;
  }

  #write(sink: StreamWriter, text: string): void {
    if (this.#log) this.#log.append(text);
    else sink.write(messageEvent(text));
  }
}

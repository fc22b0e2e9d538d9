import type { Caller } from '../../../protocol/caller.js';
import type { Pipe } from '../../pipe.js';
import type { openStream } from '../event-stream.js';
import type { BodyProblem, Exchange, StreamWriter } from '../exchange.js';
import type { isJson } from '../media-types.js';
import type { refuse } from '../refusal.js';
import type { messageEvent } from '../sse.js';
import type { LegacySsePaths } from './http-sse-paths.js';

// Few servers still need this transport, so it is loaded on demand. It imports types only: a bundler would otherwise
// split everything that it shares with the handler into files of their own.

/** Goes on with a message, unless the caller may not send it. */
export type AdmitText = (
  exchange: Exchange,
  text: string,
  caller: Caller | undefined,
  proceed: () => void,
) => void;

interface SseClient {
  pipe: Pipe;
  sink: StreamWriter;
  principal: string | undefined;
}

export interface HttpSseOptions {
  paths: LegacySsePaths;
  heartbeatMs: number;
  maxBodyBytes: number;
  admit: AdmitText;
  createPipe(send: (text: string) => void, caller: Caller | undefined): Pipe;
  openStream: typeof openStream;
  messageEvent: typeof messageEvent;
  isJson: typeof isJson;
  refuse: typeof refuse;
  BodyProblem: typeof BodyProblem;
}

/** The HTTP+SSE transport of the first revision: messages come by POST, and all answers go out on one stream. */
export class HttpSse {
  readonly #options: HttpSseOptions;
  readonly #clients = new Map<string, SseClient>();

  constructor(options: HttpSseOptions) {
    this.#options = options;
  }

  handle(exchange: Exchange, caller: Caller | undefined): void {
    if (exchange.path === this.#options.paths.stream) this.#open(exchange, caller);
    else this.#receive(exchange, caller);
  }

  async close(graceMs: number): Promise<void> {
    const open = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(open.map(({ pipe, sink }) => pipe.close(graceMs).then(() => sink.end())));
  }

  #open(exchange: Exchange, caller: Caller | undefined): void {
    const { paths, heartbeatMs, openStream, messageEvent, createPipe } = this.#options;
    const id = crypto.randomUUID();
    const sink = openStream(exchange, heartbeatMs);
    const pipe = createPipe(text => sink.write(messageEvent(text)), caller);
    this.#clients.set(id, { pipe, sink, principal: caller?.principal });
    exchange.onDisconnect(() => {
      this.#clients.delete(id);
      void pipe.close();
    });
    sink.write(`event: endpoint\ndata: ${paths.messages}?sessionId=${id}\n\n`);
  }

  #receive(exchange: Exchange, caller: Caller | undefined): void {
    const { paths, maxBodyBytes, admit, isJson, refuse, BodyProblem } = this.#options;
    const client = this.#clients.get(exchange.query.get('sessionId') ?? '');
    if (!client || client.principal !== caller?.principal) {
      return refuse(exchange, 404, `no such stream; open one with GET ${paths.stream}`);
    }
    if (!isJson(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'the content type must be application/json');
    }
    exchange.readBody(maxBodyBytes, body => {
      if (body instanceof BodyProblem) return refuse(exchange, body.status, body.message);
      admit(exchange, body, caller, () => {
        exchange.respond(202);
        void client.pipe.receive(body);
      });
    });
  }
}

import type { ParsedText } from '../../../jsonrpc/parse.js';
import type { Caller } from '../../../protocol/caller.js';
import type { Service } from '../../../protocol/service.js';
import type { Revision } from '../../../revisions/index.js';
import { type Ledger, NoRoom } from '../../ledger.js';
import { STREAM_BYTES } from '../../limits.js';
import { type Conclude, Pipe } from '../../pipe.js';
import type { Exchange, StreamWriter } from '../exchange.js';
import { isJsonType } from '../media-types.js';
import { refuse, refuseFor } from '../refusal.js';
import { messageEvent } from '../sse.js';
import { openIdleStream } from './attach-stream.js';
import type { LegacySsePaths } from './http-sse-paths.js';
import { sessionVersionProblem, versionHeaderProblem } from './session-headers.js';

/** Goes on with a message, unless it cannot be parsed, or the caller may not send it. */
export type AdmitText = (
  exchange: Exchange,
  text: string,
  caller: Caller | undefined,
  proceed: (parsed: ParsedText) => void,
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
  /** The revisions that are served. */
  revisions: readonly Revision[];
}

/** The HTTP+SSE transport of the first revision: messages come by POST, and all answers go out on one stream. */
export class HttpSse {
  readonly #service: Service;
  readonly #options: HttpSseOptions;
  readonly #ledger: Ledger;
  readonly #clients = new Map<string, SseClient>();

  constructor(service: Service, ledger: Ledger, options: HttpSseOptions) {
    this.#service = service;
    this.#ledger = ledger;
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
    const { paths, heartbeatMs, revisions } = this.#options;
    const problem = versionHeaderProblem(exchange, revisions);
    if (problem) return refuse(exchange, 400, problem.message, problem);
    const refusal = exchange.account.refusal(STREAM_BYTES);
    if (refusal) return refuseFor(exchange, refusal);
    const id = crypto.randomUUID();
    const sink = openIdleStream(exchange, heartbeatMs);
    const own = this.#ledger.open(exchange.account.address);
    const pipe = new Pipe(this.#service, text => sink.write(messageEvent(text)), {
      caller,
      revisions,
      account: () => (caller?.principal === undefined ? own : this.#ledger.accountOf(caller.principal)),
      isFull: () => sink.isFull,
    });
    sink.onDrain = () => pipe.drained();
    this.#clients.set(id, { pipe, sink, principal: caller?.principal });
    exchange.onDisconnect(() => {
      this.#clients.delete(id);
      void pipe.close();
    });
    sink.write(`event: endpoint\ndata: ${paths.messages}?sessionId=${id}\n\n`);
  }

  #receive(exchange: Exchange, caller: Caller | undefined): void {
    const { paths, maxBodyBytes, admit, revisions } = this.#options;
    const client = this.#clients.get(exchange.query.get('sessionId') ?? '');
    if (!client || client.principal !== caller?.principal) {
      return refuse(exchange, 404, `no such stream; open one with GET ${paths.stream}`);
    }
    // The handshake may still choose another revision than the header of its request names.
    const findProblem = client.pipe.hasSession ? sessionVersionProblem : versionHeaderProblem;
    const problem = findProblem(exchange, revisions);
    if (problem) return refuse(exchange, 400, problem.message, problem);
    // The client should read its answers before it asks for more.
    if (client.sink.isFull) return refuseFor(exchange, new NoRoom(429));
    if (!isJsonType(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'the content type must be application/json');
    }
    exchange.readBody(maxBodyBytes, body => {
      if (typeof body !== 'string') return refuseFor(exchange, body);
      admit(exchange, body, caller, parsed => {
        let isConcluded = false;
        const conclude: Conclude = problem => {
          if (isConcluded) return;
          isConcluded = true;
          if (problem) refuse(exchange, 400, problem.message, { code: problem.code });
          else exchange.respond(202);
        };
        void client.pipe.take(parsed, conclude).then(() => conclude());
      });
    });
  }
}

import { tellOncePerProcess } from '../../../base/once-per-process.js';
import { type Caller, hasExpired } from '../../../protocol/caller.js';
import type { Service } from '../../../protocol/service.js';
import type { Ledger } from '../../ledger.js';
import type { Elsewhere } from '../../nodes/elsewhere.js';
import type { Found, StreamsHere } from '../../nodes/shared-streams.js';
import type { Exchange } from '../exchange.js';
import { type EventLog, isFromNotices, Replay } from '../replay.js';
import { Reply } from '../reply.js';
import { messageEvent } from '../sse.js';
import { attachStream, openIdleStream } from './attach-stream.js';
import { lossNotice } from './loss-notice.js';
import { Notices } from './notices.js';
import { type HttpSession, pickStream } from './sessions.js';

const LOST =
  'a client came back to a stream whose oldest events were no longer kept, so it missed some. docs/limits.md says how ' +
  'many are kept; send fewer log messages, or smaller ones, if clients should miss none.';

/** The event streams of sessions: of responses, and those opened by GET for messages outside of requests. */
export class Streams implements StreamsHere {
  readonly #service: Service;
  readonly #heartbeatMs: number;
  readonly #known: (serial: string) => HttpSession | undefined;
  readonly #notices: Notices;
  #replay: Replay;
  #elsewhere: Elsewhere | undefined;
  readonly #ledger: Ledger;

  /** `known` finds sessions that are in memory. */
  constructor(
    service: Service,
    options: { ledger: Ledger; heartbeatMs: number },
    known: (serial: string) => HttpSession | undefined,
  ) {
    this.#service = service;
    this.#heartbeatMs = options.heartbeatMs;
    this.#ledger = options.ledger;
    this.#known = known;
    this.#replay = new Replay(options.ledger);
    this.#notices = new Notices(service);
  }

  /** Called before the first stream, in a cluster. */
  share(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
    this.#replay = new Replay(this.#ledger, elsewhere.streams.prefix);
  }

  /** The response to a request, which becomes a stream if something is sent before it. */
  openReply(exchange: Exchange, session: HttpSession): Reply {
    const heartbeatMs = this.#heartbeatMs;
    return new Reply(exchange, { heartbeatMs, rates: this.#service.noticeRates }, () => {
      const log = this.#replay.open(session.serial, 'answer-', session.account);
      return { log, sink: attachStream(exchange, log, { heartbeatMs, after: 0, prime: primes(session) }) };
    });
  }

  /** Opens a stream for notifications. */
  open(exchange: Exchange, session: HttpSession, caller: Caller | undefined): void {
    const log = this.#replay.open(session.serial, 'notices-', session.account);
    this.#attach(exchange, session, caller, { log, after: 0 });
    this.#elsewhere?.streams.listensHere(session.serial);
  }

  /** Resumes a stream after an event. Returns false if it was of responses and is no longer kept. */
  async resume(
    exchange: Exchange,
    session: HttpSession,
    caller: Caller | undefined,
    eventId: string,
  ): Promise<boolean> {
    const resumed = this.#replay.find(session.serial, eventId);
    const isOver = resumed?.log.isOver(resumed.after);
    if (resumed && !isOver) this.#attach(exchange, session, caller, resumed);
    if (resumed && !isOver) return true;
    const found = isOver
      ? ({ kind: 'over' } as const)
      : await this.#elsewhere?.streams.resume(session.serial, eventId, primes(session));
    if (found) this.#resumeElsewhere(exchange, session, caller, eventId, found);
    else if (isFromNotices(eventId)) this.#openAnew(exchange, session, caller);
    else return false;
    return true;
  }

  /** Ends the streams for notifications of a session. */
  end(session: HttpSession): void {
    this.#notices.end(session);
  }

  /** Ends all streams for notifications. */
  close(): void {
    this.#notices.close();
  }

  /** Leaves to other nodes what clients have not read. */
  async handOver(): Promise<void> {
    const elsewhere = this.#elsewhere;
    if (!elsewhere) return;
    try {
      for (const log of this.#replay.unread()) {
        if (!isFromNotices(log.id)) await elsewhere.streams.handOver(log, log.events);
      }
    } catch (thrown) {
      this.#service.report(thrown, 'handing streams over to other nodes');
    }
  }

  findStream(serial: string, eventId: string): { log: EventLog; after: number } | undefined {
    return this.#replay.find(serial, eventId);
  }

  sendOutside(serial: string, text: string | undefined): boolean {
    const stream = pickStream(this.#known(serial)?.streams ?? []);
    if (text !== undefined) stream?.append(text);
    return stream !== undefined;
  }

  silence(serial: string): void {
    const session = this.#known(serial);
    if (session) this.#notices.end(session);
  }

  #attach(
    exchange: Exchange,
    session: HttpSession,
    caller: Caller | undefined,
    { log, after }: { log: EventLog; after: number },
  ): void {
    const hasNotices = isFromNotices(log.id);
    if (hasNotices) {
      session.listener = caller;
      this.#notices.add(session, log);
    }
    attachStream(exchange, log, {
      heartbeatMs: this.#heartbeatMs,
      after,
      prime: primes(session),
      notice: this.#lossNotice(session, log.countLost(after)),
      isIdle: hasNotices,
      // A client waiting for notifications reconnects with a new token. A response belongs to the token of its request.
      mayGoOn: () => !hasNotices || !hasExpired(caller),
    });
  }

  #lossNotice(session: HttpSession, lost: number): string | undefined {
    if (lost === 0) return undefined;
    tellOncePerProcess(LOST, text => this.#service.warn(text, 'streams'));
    return lossNotice(session, lost);
  }

  #resumeElsewhere(
    exchange: Exchange,
    session: HttpSession,
    caller: Caller | undefined,
    eventId: string,
    found: Found,
  ): void {
    // For event streams 204 means: do not reconnect. After an empty stream clients would reconnect for ever.
    if (found.kind === 'over') return exchange.respond(204);
    const sink = openIdleStream(exchange, this.#heartbeatMs, () => {
      if (isFromNotices(eventId) && hasExpired(caller)) sink.abort();
    });
    if (found.kind === 'open') {
      exchange.onDisconnect(() => found.stream.leave());
      const notice = this.#lossNotice(session, found.lost);
      return found.stream.show(sink, notice && messageEvent(notice));
    }
    const id = eventId.slice(0, eventId.lastIndexOf('.'));
    for (const { number, text } of found.events) sink.write(messageEvent(text, `${id}.${number}`));
    sink.end();
  }

  /** The stream was of a process that has ended, and so may notices have been that nobody heard. */
  #openAnew(exchange: Exchange, session: HttpSession, caller: Caller | undefined): void {
    this.open(exchange, session, caller);
    if (this.#elsewhere)
      session.tell(this.#service, { kind: 'missed' }, text => pickStream(session.streams)?.announce(text));
  }
}

/** Whether streams begin with an event that lets the client reconnect before the first message. */
function primes(session: HttpSession): boolean {
  return session.handshake.revision.closableStreams;
}

import { Cancelled } from '../base/errors.js';
import { isObject } from '../base/json.js';
import {
  errorText,
  type Malformed,
  type Notification,
  notificationText,
  type Request,
  type RequestId,
  type Response,
  readMessage,
  resultText,
} from '../jsonrpc/message.js';
import { readOuterId } from '../jsonrpc/outer-id.js';
import { type ParsedText, parseText } from '../jsonrpc/parse.js';
import type { Caller } from '../protocol/caller.js';
import { ERROR, invalidRequest, McpError } from '../protocol/errors.js';
import { META } from '../protocol/meta.js';
import type { Service } from '../protocol/service.js';
import type { SingleUse } from '../protocol/single-use.js';
import { REVISIONS, type Revision } from '../revisions/index.js';
import { type AnswerText, answerTo } from './answer.js';
import type { Channel } from './channel.js';
import { Closing } from './closing.js';
import { selectEra } from './era.js';
import { type Account, Ledger, NoRoom } from './ledger.js';
import type { OutsideChannel } from './legacy/ask-outside.js';
import { answerInvalid, LegacyResponder } from './legacy/responder.js';
import { LegacySession } from './legacy/session.js';
import { ON_DEMAND } from './loading.js';
import { ModernResponder } from './modern/responder.js';
import { PipeChannel } from './pipe-channel.js';
import { type RunningCall, RunningCalls } from './running-calls.js';
import type { Seal } from './seal/seal.js';

const NO_BATCHES = 'this connection speaks no revision that has batches';

export interface PipeOptions {
  caller?: Caller | undefined;
  /** The revisions that are served; all if not set. */
  revisions?: readonly Revision[];
  /** Needed for the revisions without a handshake; if not set, only handshake revisions are served. */
  modern?: { seal: Seal; singleUse: SingleUse };
  /** The account that is charged for calls and state. Without one they are not limited. */
  account?: () => Account;
  /** Whether so much output waits for the client that notifications have to wait; `drained` tells when it has read. */
  isFull?: () => boolean;
}

/** Tells the sender of a message that it was taken, or why it cannot be. */
export type Conclude = (problem?: { code: number; message: string }) => void;

/** Serves one client over a two-way connection that all requests share. */
export class Pipe {
  readonly #service: Service;
  readonly #send: (text: string) => void;
  readonly #caller: Caller | undefined;
  readonly #account: () => Account;
  readonly #isFull: () => boolean;
  /** Requests with notifications that wait, and notices of changes that wait; equal ones are sent once. */
  readonly #behind = new Set<PipeChannel>();
  readonly #announcements = new Set<string>();
  readonly #closing = new Closing();
  readonly #running = new RunningCalls();
  /** One list for both eras: a client that speaks both cancels by the same ids. */
  readonly #calls = this.#running.createList();
  readonly #legacy: LegacyResponder;
  readonly #modern: ModernResponder | undefined;
  /** Whether a revision with a handshake is served. */
  readonly #hasHandshake: boolean;
  readonly #stopWatching: () => void;
  #session: LegacySession | undefined;
  /** Whether the client has sent a request with a valid envelope. */
  #isModern = false;
  /** Settles when the handshake that is under way is answered, and the messages that wait for it are taken. */
  #opening: Promise<void> | undefined;
  #hasWarned = false;

  constructor(service: Service, send: (text: string) => void, options: PipeOptions = {}) {
    this.#service = service;
    this.#send = send;
    this.#caller = options.caller;
    this.#isFull = options.isFull ?? (() => false);
    const unlimited = new Ledger(Number.POSITIVE_INFINITY).open();
    this.#account = options.account ?? (() => unlimited);
    const { revisions = REVISIONS } = options;
    this.#legacy = new LegacyResponder(service, this.#running, ON_DEMAND, revisions);
    this.#hasHandshake = revisions.some(({ era }) => era === 'legacy');
    this.#modern =
      options.modern &&
      new ModernResponder(service, {
        closing: this.#closing,
        part: ON_DEMAND,
        revisions,
        ...options.modern,
      });
    this.#stopWatching = service.watch(change => {
      this.#session?.tell(service, change, text => this.#announce(text));
    });
  }

  /** Takes the text of one message or batch. Resolves when it has been processed; never rejects. */
  receive(text: string): Promise<void> {
    let parsed: ParsedText;
    try {
      parsed = parseText(text);
    } catch (thrown) {
      this.#refuse(McpError.from(thrown), text);
      return Promise.resolve();
    }
    return this.take(parsed);
  }

  /**
   * Takes one message or batch, as `receive` does. With `conclude`, that gets the errors which have no id, and is called as
   * soon as the message has been read.
   */
  async take(parsed: ParsedText, conclude?: Conclude): Promise<void> {
    try {
      const { value } = parsed;
      const turn = this.#opening && !isPing(value) ? this.#takeTurn(this.#opening, parsed.weight) : undefined;
      if (turn) await turn;
      const received = Array.isArray(value)
        ? this.#receiveBatch(value, parsed, conclude)
        : this.#receiveMessage(parsed, conclude);
      if (turn && this.#opening === turn) this.#opening = undefined;
      await received;
    } catch (thrown) {
      this.#service.report(thrown, 'connection');
    }
  }

  /**
   * Answers a message whose id cannot be read. A client whose revision has no such answer gets none, and the operator is
   * told, once per connection.
   */
  refuseUnreadable(error: { code: number; message: string }): void {
    const revision = this.#session?.handshake.revision;
    if (!revision || revision.errorsWithoutId) return this.#send(errorText(undefined, error));
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const reason = `a message has no readable id, so ${revision.name} has no answer to it; it was left out`;
    this.#service.warn(`${reason}: ${error.message}`, 'connection');
  }

  /** Whether the client has completed a handshake. */
  get hasSession(): boolean {
    return this.#session !== undefined;
  }

  /** The client has read most of the output. */
  drained(): void {
    this.#sendAnnouncements();
    for (const channel of this.#behind) channel.flush();
  }

  /** Ends listen streams with their result, waits for calls up to `graceMs`, and then aborts them. */
  async close(graceMs = 0): Promise<void> {
    this.#stopWatching();
    this.#closing.begin();
    const over = new Cancelled('the connection is closing');
    this.#session?.endQuestions(over);
    await this.#running.drain(graceMs, over);
    this.#session?.close(over);
  }

  /** A request that is too deep or has too many parts gets its answer, or its client would wait in vain. */
  #refuse(error: McpError, text: string): void {
    const id = error.code === ERROR.invalidRequest ? readOuterId(text) : undefined;
    if (id === undefined) this.refuseUnreadable(error);
    else this.#send(errorText(id, error));
  }

  async #receiveMessage(
    { value, weight, repeatedName }: ParsedText,
    conclude: Conclude | undefined,
  ): Promise<void> {
    const message = readMessage(value, weight, repeatedName);
    if (message.kind === 'malformed') {
      const { error } = message;
      const id = this.#session ? this.#session.takeMalformed(message) : message.id;
      if (id === undefined && conclude) return conclude(error);
      if (id === undefined) return message.isNotification ? undefined : this.refuseUnreadable(error);
      conclude?.();
      return this.#send(errorText(id, error));
    }
    if (message.kind === 'request') {
      conclude?.();
      return this.#answer(message);
    }
    const problem = message.kind === 'notification' ? this.#notified(message) : this.#answered(message);
    // Without `conclude` there is nothing to answer with.
    conclude?.(typeof problem === 'string' ? invalidRequest(problem) : undefined);
  }

  /** Returns why a notification cannot be accepted. */
  #notified(notification: Notification): string | NoRoom | undefined {
    const { method, params } = notification;
    if (method === 'notifications/cancelled') this.#calls.cancel(params);
    else if (this.#session && selectEra(notification, undefined, true) === 'legacy')
      return this.#legacy.accept(this.#session, notification, this.#caller);
    else this.#modern?.accept(notification, this.#caller, this.#account());
    return undefined;
  }

  /** Returns why the answer to a question cannot be accepted. */
  #answered(answer: Response): string | NoRoom | undefined {
    return this.#session && this.#legacy.accept(this.#session, answer, this.#caller);
  }

  async #receiveBatch(
    values: readonly unknown[],
    parsed: ParsedText,
    conclude: Conclude | undefined,
  ): Promise<void> {
    const session = this.#session;
    const revision = session?.handshake.revision;
    // The handshake has loaded it, so that the messages are taken in this turn.
    const loaded = ON_DEMAND.get();
    const { readBatch, refuseBatch } = loaded instanceof Promise ? await loaded : loaded;
    const messages = revision?.batches ? readBatch(revision, values, parsed) : NO_BATCHES;
    if (!session || typeof messages === 'string') {
      const error = invalidRequest(messages as string);
      const texts = refuseBatch(revision, values, parsed, error);
      const hasAnswer = texts.length > 0 && (!conclude || revision?.batches);
      if (!hasAnswer) return conclude ? conclude(error) : this.refuseUnreadable(error);
      conclude?.();
      for (const text of texts) this.#send(text);
      return;
    }
    const isReadable = messages.some(message => message.kind !== 'malformed' || message.id !== undefined);
    conclude?.(isReadable ? undefined : (messages[0] as Malformed).error);
    const channel = this.#openChannel();
    const texts = await this.#legacy.respondToBatch(messages, parsed.weight, session, channel, this.#caller);
    channel.end();
    if (texts.length > 0) this.#send(`[${texts.join(',')}]`);
  }

  async #answer(request: Request): Promise<void> {
    const refusal = this.#account().refusal(request.weight);
    if (refusal) return this.#send(errorText(request.id, refusal));
    const channel = this.#openChannel();
    const text = await this.#respond(request, channel);
    channel.end();
    if (text !== undefined) this.#send(text);
  }

  async #respond(request: Request, channel: Channel): Promise<string | undefined> {
    const session = this.#session;
    // After a request with an envelope, one without it lacks the envelope, not a handshake.
    const lacksEnvelope = !session && this.#isModern && !/^(initialize|ping)$/.test(request.method);
    const isModern =
      !this.#hasHandshake || lacksEnvelope || selectEra(request, undefined, !!session) === 'modern';
    if (this.#modern && isModern) {
      return this.#respondModern(this.#modern, request, channel);
    }
    if (!session) return this.#open(request);
    const answer = await answerTo(deliver =>
      this.#legacy.respond(request, session, channel, this.#caller, deliver),
    );
    return answer?.text;
  }

  async #respondModern(
    modern: ModernResponder,
    request: Request,
    channel: Channel,
  ): Promise<string | undefined> {
    const envelope = modern.check(request);
    if (envelope instanceof McpError) return modern.answerError(request.id, envelope).text;
    this.#isModern = true;
    let running: RunningCall | undefined;
    const answer = await answerTo(deliver => {
      running = this.#calls.start(request, this.#account(), deliver);
      modern.respond(request, envelope, channel, this.#caller, running);
    });
    if (request.method === 'subscriptions/listen') this.#announceEndOfListening(request.id, answer, running);
    return answer?.text;
  }

  async #open(request: Request): Promise<string | undefined> {
    if (request.method === 'ping') return resultText(request.id, '{}');
    if (request.method !== 'initialize') return answerInvalid(request.id, 'send initialize first').text;
    const opening = this.#initialize(request);
    this.#opening = opening;
    try {
      await opening;
    } finally {
      if (this.#opening === opening) this.#opening = undefined;
    }
    return undefined;
  }

  async #initialize(request: Request): Promise<void> {
    const { answer, handshake } = await this.#legacy.initialize(request, this.#caller, this.#account());
    if (handshake) {
      this.#session = new LegacySession(handshake, this.#calls, this.#account, this.#service, ON_DEMAND);
      this.#session.isNew = true;
      this.#session.connection = this.#outside();
      this.#session.principal = this.#caller?.principal;
      this.#session.listener = this.#caller;
    }
    // Sent here, so that messages that waited for the handshake are answered after it.
    if (answer) this.#send(answer.text);
  }

  /** Clients may send on without waiting for the handshake, and those messages belong to its session. */
  #takeTurn(opening: Promise<void>, weight: number): Promise<void> {
    const account = this.#account();
    if (account.refusal(weight)) return opening;
    account.add(weight);
    this.#opening = opening.finally(() => account.remove(weight));
    return this.#opening;
  }

  /** The way to the client outside of its requests. */
  #outside(): OutsideChannel {
    const [isFull, closing] = [this.#isFull, this.#closing];
    return {
      send: this.#send,
      get isFull() {
        return isFull();
      },
      get isClosed() {
        return closing.hasBegun;
      },
    };
  }

  #openChannel(): PipeChannel {
    return new PipeChannel(this.#send, this.#isFull, this.#behind, {
      announce: text => this.#announce(text),
      rates: this.#service.noticeRates,
    });
  }

  #announce(text: string): void {
    if (this.#isFull()) this.#announcements.add(text);
    else this.#send(text);
  }

  #sendAnnouncements(): void {
    for (const text of this.#announcements) this.#send(text);
    this.#announcements.clear();
  }

  /** Two pages of the specification disagree on how a server ends a listen stream, so it is ended in both ways. */
  #announceEndOfListening(requestId: RequestId, answer?: AnswerText, running?: RunningCall): void {
    // A stream that failed was never open, and one that the client has cancelled is closed.
    const isEvicted = running?.cancellation.signal.reason instanceof NoRoom;
    if (answer ? answer.code !== undefined : !isEvicted) return;
    // Its acknowledgement and its notices, which may wait for the client to read, come before.
    this.#sendAnnouncements();
    const whileOpen = isEvicted ? 'the server is out of memory' : 'there is nothing to report';
    const reason = this.#closing.hasBegun ? 'the server is closing' : whileOpen;
    const _meta = { [META.subscriptionId]: requestId };
    this.#send(notificationText('notifications/cancelled', { requestId, reason, _meta }));
  }
}

/** A ping is answered also during the handshake. */
function isPing(value: unknown): boolean {
  return isObject(value) && value.method === 'ping';
}

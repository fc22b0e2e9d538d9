import { onAbort } from '../../base/abort.js';
import type { JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import { type Malformed, notificationText, type RequestId, type Response } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { AskOptions, Session } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import {
  type Change,
  changeNotification,
  isFor,
  type MissedChanges,
  unfold,
} from '../../protocol/changes.js';
import { AnswerTimeout } from '../../protocol/failures.js';
import type { InputRequest, InputResponseTo } from '../../protocol/input.js';
import type { Logger } from '../../protocol/logger.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { NotificationSender, Service, SessionService } from '../../protocol/service.js';
import type { Account } from '../ledger.js';
import { INITIALIZED_MS, MAX_OPEN_PAGES } from '../limits.js';
import { tellOfResource } from '../resource-notice.js';
import type { ClientCalls } from '../running-calls.js';
import type { OutsideChannel } from './ask-outside.js';
import type { Handshake } from './handshake.js';
import { logOutside } from './log-outside.js';
import type { LegacyPart } from './part.js';
import { Subscriptions } from './subscriptions.js';

const NOT_INITIALIZED = 'the client cannot be asked before it has sent notifications/initialized';

/**
 * One handshake and the state that has changed since. Each part is created when it is first used, so a session that
 * only calls tools takes next to no memory.
 */
export class LegacySession implements Session {
  readonly handshake: Handshake;
  /** The requests of the client that have no response yet. */
  readonly calls: ClientCalls;
  readonly id: string | undefined;
  /** The authenticated caller of the session, if there is one. */
  principal: string | undefined;
  /** The caller that is told of changes: that of the connection, or of the newest GET stream. */
  listener: Caller | undefined;
  /** Undefined until the client sets a level. */
  logLevel: LogLevel | undefined;
  /** The connection that all messages share; undefined over HTTP. */
  connection: OutsideChannel | undefined;
  #peer: Peer | undefined;
  #logger: Logger | undefined;
  /** The author's values, if there are any. */
  ownValues: Map<string, unknown> | undefined;
  subscriptions: Subscriptions | undefined;
  /** The pages that the user was sent to, and has not finished on. */
  openPages: Set<string> | undefined;
  /** Begins the ids of questions, so that other nodes know which one asked. */
  questionPrefix = '';
  /** Whether the client has not sent `notifications/initialized` yet. */
  isNew = false;
  #onInitialized: Set<() => void> | undefined;

  /** The code that is loaded on demand. */
  readonly part: OnDemand<LegacyPart>;
  readonly #account: () => Account;
  /** What the server does with messages that belong to no request. */
  readonly service: SessionService;

  constructor(
    handshake: Handshake,
    calls: ClientCalls,
    account: () => Account,
    service: SessionService,
    part: OnDemand<LegacyPart>,
    id?: string,
  ) {
    this.handshake = handshake;
    this.service = service;
    this.calls = calls;
    this.id = id;
    this.#account = account;
    this.part = part;
  }

  /** The account that is charged for the calls and the state of the session. */
  get account(): Account {
    return this.#account();
  }

  get values(): Map<string, unknown> {
    this.ownValues ??= new Map();
    return this.ownValues;
  }

  /** The requests that the server has sent to the client. Only the code that is loaded on demand sends some. */
  get peer(): Peer {
    this.#peer ??= new (this.part.loaded as LegacyPart).Peer(this.questionPrefix);
    return this.#peer;
  }

  get log(): Logger {
    this.#logger ??= logOutside(this);
    return this.#logger;
  }

  async ask<const R extends InputRequest>(
    request: R,
    options?: AskOptions,
  ): Promise<InputResponseTo<R['method']>> {
    const { askOutside } = await this.part.get();
    return askOutside(this, request, options);
  }

  async request(method: string, params: JsonObject = {}, options?: AskOptions): Promise<JsonObject> {
    const { requestOutside } = await this.part.get();
    return requestOutside(this, method, params, options);
  }

  async ping(options?: AskOptions): Promise<void> {
    const { pingOutside } = await this.part.get();
    await pingOutside(this, options);
  }

  /** The other end, for middleware. */
  get peerDescription(): NotificationSender {
    return { client: this.handshake.client, session: this, caller: undefined };
  }

  /** The way to the client outside of its requests; undefined while the client has opened none. */
  openOutside(): OutsideChannel | undefined {
    return this.connection;
  }

  initialized(): void {
    this.isNew = false;
    for (const callback of this.#onInitialized ?? []) callback();
  }

  /**
   * Resolves when the client is ready for questions. It may send requests a little before it says so, since over HTTP
   * messages can overtake each other.
   */
  async whenInitialized(signal?: AbortSignal): Promise<void> {
    if (!this.isNew) return;
    this.#onInitialized ??= new Set();
    const callbacks = this.#onInitialized;
    await new Promise<void>((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        ignoreSignal?.();
        callbacks.delete(proceed);
        settle();
      };
      const proceed = () => end(resolve);
      const expire = () => end(() => reject(new AnswerTimeout(NOT_INITIALIZED)));
      const timer = setTimeout(expire, INITIALIZED_MS);
      const ignoreSignal = signal && onAbort(signal, () => end(() => reject(signal.reason)));
      callbacks.add(proceed);
    });
  }

  get isBusy(): boolean {
    return this.calls.count > 0 || (this.#peer?.waiting ?? 0) > 0;
  }

  /** Whether dropping this object would lose something that the session's id does not carry. */
  get hasState(): boolean {
    return this.isBusy || this.holdsState;
  }

  /** Whether the session has state of its own: log level, subscriptions, values, or pages that a user has to visit. */
  get holdsState(): boolean {
    return (
      this.logLevel !== undefined ||
      (this.ownValues?.size ?? 0) > 0 ||
      this.subscriptions !== undefined ||
      (this.openPages?.size ?? 0) > 0
    );
  }

  /** Takes the answer to a question. Returns whether the question was asked here. */
  answer(response: Response): boolean {
    return this.#peer ? this.#peer.settle(response) : response.id === undefined;
  }

  /** Takes the progress of the answer to a question. */
  progressed(params: JsonObject): void {
    this.#peer?.progress(params);
  }

  /** Ends all questions: the client can no longer answer them. */
  endQuestions(reason: Error): void {
    this.#peer?.close(reason);
  }

  /**
   * Takes a malformed message. If it was an answer to a question, the question ends. Returns the id for the error about
   * it; undefined if there is none.
   */
  takeMalformed(malformed: Malformed): RequestId | undefined {
    const wasAwaited = this.#peer?.settleMalformed(malformed);
    // The id of a question was chosen by this server, so it must not appear as the id of a client's request.
    return wasAwaited ? undefined : malformed.id;
  }

  /** Adds a subscription. Throws if the client has too many already, or if memory is full. */
  subscribe(uri: string): void {
    this.subscriptions ??= new Subscriptions(this.account);
    this.subscriptions.add(uri);
  }

  /** Remembers that the client was sent to a page, to notify it when the user has finished there. */
  sentToPage(elicitationId: string): void {
    this.openPages ??= new Set();
    this.openPages.add(elicitationId);
    if (this.openPages.size > MAX_OPEN_PAGES) {
      this.openPages.delete(this.openPages.values().next().value as string);
    }
  }

  unsubscribe(uri: string): void {
    this.subscriptions?.delete(uri);
    if (this.subscriptions?.size === 0) this.subscriptions = undefined;
  }

  /** Drops the state that the session's id does not carry. */
  forget(): void {
    this.subscriptions?.clear();
    this.subscriptions = undefined;
    this.ownValues = undefined;
    this.openPages = undefined;
    this.logLevel = undefined;
  }

  /** Sends the notification of a change, if this session wants it and its caller may get it. */
  tell(service: Service, told: Change | MissedChanges, send: (text: string) => void): void {
    for (const change of unfold(told, this.subscriptions ?? [])) this.#tell(service, change, send);
  }

  #tell(service: Service, change: Change, send: (text: string) => void): void {
    if (!isFor(change, { principal: this.principal, session: this })) return;
    // Nobody can ask for notices here.
    if (change.kind === 'notice' && change.isRestricted && !change.audience) return;
    const { method, params } = changeNotification(change);
    if (!this.handshake.agreement.maySend('server', method)) return;
    if (change.kind === 'elicitation' && !this.openPages?.delete(change.id)) return;
    const deliver = () => {
      const passed = service.outgoing(method, params ?? {}, this.peerDescription);
      if (!passed) return;
      send(notificationText(method, params || Object.keys(passed).length > 0 ? passed : undefined));
    };
    if (change.kind !== 'resource') return deliver();
    const { listener: caller } = this;
    tellOfResource(service, change, this.subscriptions ?? [], { caller, session: this }, deliver);
  }

  /** Aborts all calls and questions, because the connection or the session is over. */
  close(reason: Error): void {
    this.calls.abort(reason);
    this.endQuestions(reason);
    this.forget();
  }
}

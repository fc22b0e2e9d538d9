import { notificationText, type Request, type RequestId } from '../../jsonrpc/message.js';
import type { Auth } from '../../protocol/auth.js';
import type { AskOptions, Call, Client } from '../../protocol/call.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { isObject, type JsonObject } from '../../protocol/json.js';
import type { LogLevel } from '../../protocol/logging.js';
import { encodeNotification } from '../../revisions/encode.js';
import { encodeQuestion } from '../../revisions/questions.js';
import { Cancellation } from '../cancellation.js';
import type { Channel } from '../channel.js';
import type { LegacySession } from './session.js';

/** People take their time to answer. */
const ANSWER_TIMEOUT = 5 * 60_000;
const PING_TIMEOUT = 10_000;

/** A call that belongs to a session: it can ask the client directly, over the channel of the request. */
export class LegacyCall implements Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly session: LegacySession;
  readonly auth: Auth | undefined;
  readonly cancellation = new Cancellation();
  readonly #channel: Channel;

  constructor(request: Request, session: LegacySession, channel: Channel, auth: Auth | undefined) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.session = session;
    this.auth = auth;
    this.#channel = channel;
  }

  get meta(): JsonObject {
    return isObject(this.params._meta) ? this.params._meta : {};
  }

  get revision(): string {
    return this.session.handshake.revision.name;
  }

  get client(): Client {
    return this.session.handshake.client;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  get logLevel(): LogLevel {
    return this.session.logLevel ?? 'info';
  }

  notify(method: string, params: JsonObject): void {
    if (this.cancellation.aborted) return;
    const encoded = encodeNotification(this.session.handshake.revision, method, params);
    if (encoded) this.#channel.send(notificationText(method, encoded));
  }

  async ask(request: InputRequest, options: AskOptions = {}): Promise<InputResponse> {
    const question = encodeQuestion(this.session.handshake.revision, request);
    const answer = await this.#request(question.method, question.params as JsonObject | undefined, {
      timeout: ANSWER_TIMEOUT,
      ...options,
    });
    return answer as unknown as InputResponse;
  }

  async ping(options: AskOptions = {}): Promise<void> {
    await this.#request('ping', undefined, { timeout: PING_TIMEOUT, ...options });
  }

  closeStream(): void {
    if (this.session.handshake.revision.closableStreams) this.#channel.close?.();
  }

  #request(method: string, params: JsonObject | undefined, options: AskOptions & { timeout: number }) {
    const send = (text: string) => this.#channel.send(text);
    return this.session.peer.request(method, params, send, { ...options, signal: this.signal });
  }
}

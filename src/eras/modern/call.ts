import { notificationText, type Request, type RequestId } from '../../jsonrpc/message.js';
import type { Auth } from '../../protocol/auth.js';
import type { Call, Client } from '../../protocol/call.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { JsonObject } from '../../protocol/json.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { encodeNotification } from '../../revisions/encode.js';
import type { Revision } from '../../revisions/index.js';
import { Cancellation } from '../cancellation.js';
import type { Channel } from '../channel.js';

/** A call that stands alone: everything that it needs came with the request. */
export class ModernCall implements Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly auth: Auth | undefined;
  readonly session = undefined;
  readonly cancellation = new Cancellation();
  readonly channel: Channel;
  readonly #envelope: RequestMeta;
  readonly #revision: Revision;

  constructor(
    request: Request,
    envelope: RequestMeta,
    revision: Revision,
    channel: Channel,
    auth: Auth | undefined,
  ) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.auth = auth;
    this.#envelope = envelope;
    this.#revision = revision;
    this.channel = channel;
  }

  get meta(): JsonObject {
    return this.params._meta as JsonObject;
  }

  get revision(): string {
    return this.#revision.name;
  }

  get client(): Client {
    return { info: this.#envelope.clientInfo, capabilities: this.#envelope.clientCapabilities };
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  get logLevel(): LogLevel | undefined {
    return this.#envelope.logLevel;
  }

  notify(method: string, params: JsonObject): void {
    if (this.cancellation.aborted) return;
    const encoded = encodeNotification(this.#revision, method, params);
    if (encoded) this.channel.send(notificationText(method, encoded));
  }

  async ask(request: InputRequest): Promise<InputResponse> {
    throw new McpError(
      ERROR.internal,
      `${request.method} cannot be asked while a request of revision ${this.revision} is being handled: ` +
        'return inputRequired(…) and read ctx.inputResponses on the retry',
    );
  }

  async ping(): Promise<void> {
    // The revision has no ping: a request is proof enough.
  }

  closeStream(): void {
    // The revision has no way to come back to a stream.
  }
}

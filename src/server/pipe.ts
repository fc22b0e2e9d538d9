import { Cancelled } from '../base/errors.js';
import {
  errorText,
  notificationText,
  parseJson,
  type Request,
  type RequestId,
  readMessage,
  resultText,
} from '../jsonrpc/message.js';
import type { Caller } from '../protocol/caller.js';
import { McpError } from '../protocol/errors.js';
import type { Service } from '../protocol/service.js';
import type { SingleUse } from '../protocol/single-use.js';
import { answerTo } from './answer.js';
import type { Channel } from './channel.js';
import { Closing } from './closing.js';
import { selectEra } from './era.js';
import { readBatch, respondToBatch } from './legacy/batch.js';
import { LegacyCall } from './legacy/call.js';
import { createLegacyServer, refuse } from './legacy/responder.js';
import { LegacySession } from './legacy/session.js';
import type { ModernCall } from './modern/call.js';
import { createModernServer, type ModernServer } from './modern/responder.js';
import type { Seal } from './seal/seal.js';

/** A two-way connection to one client, such as a pipe: all messages of all requests share it. */
export interface Connection {
  /** Takes the text of one message or batch. Resolves when it has been dealt with; never rejects. */
  receive(text: string): Promise<void>;
  /** Ends listen streams with their result, waits for what is under way, and then aborts it. */
  close(graceMs?: number): Promise<void>;
}

export interface ConnectionOptions {
  caller?: Caller | undefined;
  /** Only with the means for it is more spoken than the handshake revisions. */
  modern?: { seal: Seal; singleUse: SingleUse };
  /** Whether so much waits for the client that logs and progress are left out. */
  isFull?: () => boolean;
}

/** Serves a connection. */
export function serveConnection(
  service: Service,
  send: (text: string) => void,
  options: ConnectionOptions = {},
): Connection {
  const closing = new Closing();
  const legacy = createLegacyServer(service);
  const modern = options.modern && createModernServer(service, { closing, ...options.modern });
  const { caller, isFull = () => false } = options;
  /** Calls that belong to no session; those of the session are its own business. */
  const running = new Set<ModernCall>();
  let session: LegacySession | undefined;
  const stopWatching = service.watch(change => {
    const notice = session?.notice(change);
    if (notice) send(notice);
  });

  async function receive(value: unknown): Promise<void> {
    if (Array.isArray(value)) return receiveBatch(value);
    const message = readMessage(value);
    if (message.kind === 'malformed') {
      return send(session ? session.refuse(message) : errorText(message.id, message.error));
    }
    if (message.kind === 'request') return answer(message);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      cancel(message.params.requestId as RequestId, message.params.reason);
    }
    if (session) legacy.accept(session, message);
  }

  async function answer(request: Request): Promise<void> {
    const channel = new SharedChannel(send, isFull);
    const text = await respond(request, channel);
    channel.isOpen = false;
    if (text !== undefined) send(text);
  }

  async function respond(request: Request, channel: Channel): Promise<string | undefined> {
    if (modern && selectEra(request) === 'modern') return respondModern(modern, request, channel);
    if (!session) return open(request);
    const call = new LegacyCall(request, session, channel, caller);
    return (await answerTo(deliver => legacy.respond(call, deliver)))?.text;
  }

  async function respondModern(
    server: ModernServer,
    request: Request,
    channel: Channel,
  ): Promise<string | undefined> {
    const envelope = server.check(request);
    if (envelope instanceof McpError) return server.refuse(request.id, envelope).text;
    const call = server.open(request, envelope, channel, caller);
    running.add(call);
    const answered = await answerTo(deliver => server.respond(call, deliver));
    running.delete(call);
    return answered?.text;
  }

  async function open(request: Request): Promise<string> {
    if (request.method === 'ping') return resultText(request.id, '{}');
    if (request.method !== 'initialize') return refuse(request.id, 'send initialize first').text;
    const { text, handshake } = await legacy.initialize(request, caller);
    if (handshake) session = new LegacySession(handshake);
    return text;
  }

  async function receiveBatch(values: readonly unknown[]): Promise<void> {
    const messages = session?.handshake.revision.batches
      ? readBatch(values)
      : 'this connection speaks no revision that has batches';
    if (typeof messages === 'string') return send(refuse(undefined, messages).text);
    const channel = new SharedChannel(send, isFull);
    const current = session as LegacySession;
    const texts = await respondToBatch(legacy, current, messages, request =>
      answerTo(deliver => legacy.respond(new LegacyCall(request, current, channel, caller), deliver)),
    );
    channel.isOpen = false;
    if (texts.length > 0) send(`[${texts.join(',')}]`);
  }

  function cancel(id: RequestId, reason: unknown): void {
    const why = typeof reason === 'string' ? reason : 'the client cancelled the request';
    for (const call of running) {
      if (call.id === id) call.cancellation.abort(new Cancelled(why));
    }
  }

  /** The two pages that say how a server ends a listen stream disagree, so it says both. */
  function announceEndOfListening(): void {
    for (const { id, method } of running) {
      if (method !== 'subscriptions/listen') continue;
      send(notificationText('notifications/cancelled', { requestId: id, reason: 'the server is closing' }));
    }
  }

  const pending = new Set<Promise<void>>();
  return {
    receive(text) {
      let value: unknown;
      try {
        value = parseJson(text);
      } catch (thrown) {
        send(errorText(undefined, McpError.from(thrown)));
        return Promise.resolve();
      }
      const done: Promise<void> = receive(value)
        .catch(error => service.report(error, 'connection'))
        .finally(() => pending.delete(done));
      pending.add(done);
      return done;
    },

    async close(graceMs = 0) {
      stopWatching();
      announceEndOfListening();
      closing.begin();
      const over = new Cancelled('the connection is closing');
      // Nobody is left to answer the questions that are open.
      session?.peer.close(over);
      await settledWithin(pending, graceMs);
      for (const { cancellation } of running) cancellation.abort(over);
      session?.close(over);
      // What was aborted ends at once; a handshake cannot be, and may never end.
      await settledWithin(pending, 0);
    },
  };
}

/** The part of a connection that belongs to one request: nothing may follow its answer. */
class SharedChannel implements Channel {
  isOpen = true;
  readonly #send: (text: string) => void;
  readonly #isFull: () => boolean;

  constructor(send: (text: string) => void, isFull: () => boolean) {
    this.#send = send;
    this.#isFull = isFull;
  }

  get isFull(): boolean {
    return this.#isFull();
  }

  send(text: string): void {
    if (this.isOpen) this.#send(text);
  }
}

async function settledWithin(pending: ReadonlySet<Promise<unknown>>, graceMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>(resolve => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all([...pending]), grace]);
  clearTimeout(timer);
}

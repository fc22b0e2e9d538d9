import type { Auth } from '../protocol/auth.js';
import type { Service } from '../protocol/call.js';
import { McpError } from '../protocol/errors.js';
import {
  errorText,
  notificationText,
  parseJson,
  type Request,
  type RequestId,
  readMessage,
  resultText,
} from '../jsonrpc/message.js';
import { Cancelled, type Cancellation } from './cancellation.js';
import { readBatch, respondToBatch } from './legacy/batch.js';
import { createLegacyServer, refuse } from './legacy/server.js';
import { LegacySession } from './legacy/session.js';
import { createModernServer, type ModernServer } from './modern/server.js';
import { selectEra } from './select.js';

/** A two-way connection to one client, such as a pipe: all messages of all requests share it. */
export interface Connection {
  /** Takes the text of one message or batch. Resolves when it has been dealt with; never rejects. */
  receive(text: string): Promise<void>;
  /** Ends listen streams with their result, waits for what is under way, and then aborts it. */
  close(graceMs?: number): Promise<void>;
}

/** Serves a connection. `eras` limits what may be spoken on it; both by default. */
export function serveConnection(
  service: Service,
  send: (text: string) => void,
  options: { auth?: Auth | undefined; eras?: 'both' | 'legacy' } = {},
): Connection {
  const closing = new AbortController();
  const legacy = createLegacyServer(service);
  const modern: ModernServer | undefined =
    options.eras === 'legacy' ? undefined : createModernServer(service, closing.signal);
  const channel = { send };
  const { auth } = options;
  const running = new Map<Request, Cancellation>();
  let session: LegacySession | undefined;
  const stopWatching = service.watch(change => {
    const notice = session?.notice(change);
    if (notice) send(notice);
  });

  async function receive(value: unknown): Promise<void> {
    if (Array.isArray(value)) return receiveBatch(value);
    const message = readMessage(value);
    if (message.kind === 'malformed') return send(errorText(message.id, message.error));
    if (message.kind === 'request') return answer(message);
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
      cancel(message.params.requestId as RequestId, message.params.reason);
    }
    if (session) legacy.accept(session, message);
  }

  async function answer(request: Request): Promise<void> {
    const text = await respond(request).finally(() => running.delete(request));
    if (text !== undefined) send(text);
  }

  async function respond(request: Request): Promise<string | undefined> {
    const started = (cancellation: Cancellation) => running.set(request, cancellation);
    if (modern && selectEra(request) === 'modern') {
      const envelope = modern.check(request);
      if (envelope instanceof McpError) return modern.refuse(request.id, envelope).text;
      return (await modern.respond(request, envelope, channel, auth, started))?.text;
    }
    if (session) return (await legacy.respond(session, request, channel, auth, started))?.text;
    return open(request);
  }

  async function open(request: Request): Promise<string> {
    if (request.method === 'ping') return resultText(request.id, '{}');
    if (request.method !== 'initialize') return refuse(request.id, 'send initialize first').text;
    const { text, handshake } = await legacy.initialize(request, auth);
    if (handshake) session = new LegacySession(handshake);
    return text;
  }

  async function receiveBatch(values: readonly unknown[]): Promise<void> {
    const messages = session?.handshake.revision.batches
      ? readBatch(values)
      : 'batches exist only in sessions of revision 2025-03-26';
    if (typeof messages === 'string') return send(refuse(undefined, messages).text);
    const texts = await respondToBatch(legacy, session as LegacySession, messages, channel, auth);
    if (texts.length > 0) send(`[${texts.join(',')}]`);
  }

  function cancel(id: RequestId, reason: unknown): void {
    const why = typeof reason === 'string' ? reason : 'the client cancelled the request';
    for (const [request, cancellation] of running) {
      if (request.id === id) cancellation.abort(new Cancelled(why));
    }
  }

  /** The two pages that say how a server ends a listen stream disagree, so it says both. */
  function announceEndOfListening(): void {
    for (const request of running.keys()) {
      if (request.method !== 'subscriptions/listen') continue;
      send(notificationText('notifications/cancelled', { requestId: request.id, reason: 'the server is closing' }));
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
      closing.abort();
      const over = new Cancelled('the connection is closing');
      // Nobody is left to answer the questions that are open.
      session?.peer.close(over);
      await settledWithin(pending, graceMs);
      for (const cancellation of running.values()) cancellation.abort(over);
      session?.close(over);
      await Promise.all(pending);
    },
  };
}

async function settledWithin(pending: ReadonlySet<Promise<unknown>>, graceMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const grace = new Promise<void>(resolve => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all([...pending]), grace]);
  clearTimeout(timer);
}


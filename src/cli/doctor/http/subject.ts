import { HEADER, type JsonObject, LATEST_REVISION } from 'tenon/protocol';
import { DISCOVER, envelopeRequest, initializeRequest } from '../opening.js';
import { readChallenge } from './challenge.js';
import { type Exchange, exchange, type Sending } from './exchange.js';
import { isLoopback } from './loopback.js';

/** How long a server may take to end a session at the end. */
const LEAVING_MS = 2000;

export interface Session {
  readonly id: string;
  readonly revision: string;
}

/** How a server answered `initialize` of one revision. */
export interface Greeting {
  readonly revision: string;
  readonly exchange: Exchange;
  /** The revision that the server answered with. */
  readonly agreed: string | undefined;
  readonly session: Session | undefined;
}

/** A server at a URL, and what is known about it. */
export class HttpSubject {
  readonly url: URL;
  /** The headers of the user, among them the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  /** The origin of the web page that is to use the server. */
  readonly origin: string | undefined;
  readonly limitMs: number;
  readonly signal: AbortSignal;

  /** Whether requests can be sent at all: the address answers, and its certificate is right. */
  isReachable = true;
  /** The answer to `server/discover`. */
  discovery: Exchange | undefined;
  greetings: Greeting[] = [];
  /** The answer to GET, if it was the HTTP+SSE transport that was looked for. */
  stream: Exchange | undefined;
  /** The revisions that the server speaks, newest first. */
  spoken: string[] = [];
  speaksSse = false;
  /** Whether the cause why no revision answers is found. */
  isExplained = false;

  readonly #sessions = new Set<Session>();

  constructor(options: Pick<HttpSubject, 'url' | 'headers' | 'token' | 'origin' | 'limitMs' | 'signal'>) {
    this.url = options.url;
    this.token = options.token;
    this.headers = { ...options.headers, ...(options.token && { authorization: `Bearer ${options.token}` }) };
    this.origin = options.origin;
    this.limitMs = options.limitMs;
    this.signal = options.signal;
  }

  /** Whether an MCP server has answered in a revision that is known. */
  get answers(): boolean {
    return this.spoken.length > 0 || this.speaksSse;
  }

  /** The first answer to an opening, which tells why nothing is spoken. */
  get firstAnswer(): Exchange | undefined {
    return this.discovery ?? this.greetings[0]?.exchange;
  }

  /** The answer that wants a token, or one with more scopes. */
  get demand(): Exchange | undefined {
    const all = [this.discovery, ...this.greetings.map(({ exchange }) => exchange), this.stream];
    return all.find(one => one && (one.status === 401 || lacksScope(one)));
  }

  /** The first `initialize` that was accepted. Its session is still open. */
  get greeting(): Greeting | undefined {
    return this.greetings.find(({ agreed }) => agreed !== undefined);
  }

  get isLocal(): boolean {
    return isLoopback(this.url);
  }

  send(sending: Partial<Sending> = {}, url: URL | string = this.url): Promise<Exchange> {
    const { limitMs, signal } = this;
    // The headers of the user are for this server only, and browsers send none of them with OPTIONS.
    const isOwn = new URL(url).origin === this.url.origin && sending.method !== 'OPTIONS';
    const own = isOwn ? this.headers : {};
    return exchange(url, { limitMs, signal, ...sending, headers: { ...own, ...sending.headers } });
  }

  /** Sends `server/discover`, or another request of a revision without a handshake. */
  discover(headers: Readonly<Record<string, string>> = {}, url?: URL, revision = LATEST_REVISION) {
    const message = envelopeRequest(revision);
    const own = { [HEADER.protocolVersion]: revision, [HEADER.method]: DISCOVER };
    return this.send({ message, headers: { ...own, ...headers } }, url);
  }

  /** Sends `initialize`. A session that it opens has to be ended with `leave`. */
  async greet(revision: string, headers: Readonly<Record<string, string>> = {}): Promise<Greeting> {
    const exchange = await this.send({ message: initializeRequest(revision), headers });
    const agreed = exchange.answer?.result?.protocolVersion;
    const id = exchange.headers[HEADER.sessionId];
    const session =
      typeof id === 'string' ? { id, revision: typeof agreed === 'string' ? agreed : revision } : undefined;
    if (session) this.#sessions.add(session);
    return { revision, exchange, agreed: typeof agreed === 'string' ? agreed : undefined, session };
  }

  /** Repeats the opening that the server has answered, with other headers. Leaves no session behind. */
  async knock(headers: Readonly<Record<string, string>>): Promise<Exchange> {
    if (this.discovery?.answer?.result) return this.discover(headers);
    const greeting = await this.greet(this.spoken[0] as string, headers);
    await this.leave(greeting.session);
    return greeting.exchange;
  }

  /** Sends a message within a session, or without one if the server has none. */
  sendIn(session: Session | undefined, revision: string, message: JsonObject): Promise<Exchange> {
    return this.send({ message, headers: sessionHeaders(session, revision) });
  }

  /** Ends a session that was opened here. */
  async leave(session: Session | undefined): Promise<Exchange | undefined> {
    if (!session || !this.#sessions.delete(session)) return undefined;
    return this.send({ method: 'DELETE', headers: sessionHeaders(session, session.revision) });
  }

  /** Ends all sessions that are still open, also after an interruption. */
  async close(): Promise<void> {
    const signal = AbortSignal.timeout(LEAVING_MS);
    await Promise.allSettled(
      [...this.#sessions].map(session =>
        exchange(this.url, {
          method: 'DELETE',
          headers: { ...this.headers, ...sessionHeaders(session, session.revision) },
          limitMs: LEAVING_MS,
          signal,
        }),
      ),
    );
  }
}

/** Whether a token is refused because it does not have the scopes that are needed. */
export function lacksScope({ status, headers }: Exchange): boolean {
  return status === 403 && readChallenge(headers['www-authenticate'])?.error === 'insufficient_scope';
}

export function sessionHeaders(session: Session | undefined, revision: string): Record<string, string> {
  return {
    [HEADER.protocolVersion]: revision,
    ...(session && { [HEADER.sessionId]: session.id }),
  };
}

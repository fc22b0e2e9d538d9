import { AsyncResource } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Backlog } from '../../server/http/backlog.js';
import { type Body, BodyProblem, type Exchange, type StreamWriter } from '../../server/http/exchange.js';
import type { Account } from '../../server/ledger.js';
import { isUtf8 } from '../utf8.js';
import { afterTurn } from './after-turn.js';
import { type BodyReader, discardBody, gatherBody } from './arriving-body.js';
import type { BodyProgress, OpenRequests } from './open-requests.js';
import { UnreadOutput } from './unread-output.js';

/** A request whose body a framework may have read and parsed already, as Express does. */
export type NodeRequest = IncomingMessage & { body?: unknown; originalUrl?: string };

const NO_QUERY = new URLSearchParams();
const ALREADY_READ =
  'the body was read before the handler got the request; pass on the request of the framework, or put the body into req.body';
/** If one of these headers is repeated, Node shows only the first. */
const FIRST_ONLY: ReadonlySet<string> = new Set(['authorization', 'host']);

/** An exchange over `node:http`, without `Request` and `Response` objects on the way. */
export class NodeExchange implements Exchange, BodyReader, BodyProgress {
  readonly method: string;
  readonly account: Account;
  hasWholeBody = false;
  readonly #request: NodeRequest;
  readonly #response: ServerResponse;
  readonly #requests: OpenRequests;
  readonly #stalledMs: number;

  /** `account` is the one of the connection. A client that takes nothing for `stalledMs` is disconnected. */
  constructor(
    request: NodeRequest,
    response: ServerResponse,
    requests: OpenRequests,
    account: Account,
    stalledMs: number,
  ) {
    this.method = request.method ?? 'GET';
    this.account = account;
    this.#request = request;
    this.#response = response;
    this.#requests = requests;
    this.#stalledMs = stalledMs;
  }

  get path(): string {
    const url = this.#request.originalUrl ?? this.#request.url ?? '/';
    const query = url.indexOf('?');
    return query < 0 ? url : url.slice(0, query);
  }

  get query(): URLSearchParams {
    const url = this.#request.originalUrl ?? this.#request.url ?? '/';
    const at = url.indexOf('?');
    return at < 0 ? NO_QUERY : new URLSearchParams(url.slice(at + 1));
  }

  get isLocal(): boolean {
    return isLoopbackAddress(this.#request.socket.localAddress);
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  isRepeated(name: string): boolean {
    // Node joins all others with a comma, so most headers need no closer look.
    if (!FIRST_ONLY.has(name) && !this.header(name)?.includes(',')) return false;
    return countHeader(this.#request.rawHeaders, name) > 1;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    const { body, readableDidRead } = this.#request;
    // Some parsers set a body for every request, also where they have not read it.
    if (body === undefined || readableDidRead === false) readText(this.#request, limit, this, done);
    else done(textOfBody(body));
  }

  letGo(): void {
    this.#response.shouldKeepAlive = false;
    this.#requests.release(this.#request, this.#response);
    // The response would have to wait for those to earlier requests.
    if (this.#response.socket === null) this.#request.socket.destroy();
  }

  onDisconnect(callback: () => void): void {
    // Most requests are answered by then, and no listener is needed.
    afterTurn(() => listenForClose(this.#response, callback));
  }

  respond(status: number, json?: string, headers?: Readonly<Record<string, string>>): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    // Node is faster with a list than with an object.
    const list: (string | number)[] =
      json === undefined
        ? []
        : ['content-type', 'application/json', 'content-length', Buffer.byteLength(json)];
    if (headers) list.push(...Object.entries(headers).flat());
    response.writeHead(status, list).end(json);
    // Output behind earlier responses certainly waits.
    if (response.writableLength > 0) this.#unread.look(response.socket === null ? 0 : undefined);
    // The rest of a refused body has to be read, or the connection cannot be used again.
    if (!this.#request.complete && !this.#request.readableDidRead) discardBody(this.#request);
  }

  stream(status: number, headers: Readonly<Record<string, string>>): StreamWriter {
    const response = this.#response;
    response.writeHead(status, headers);
    response.flushHeaders();
    return new NodeStream(response, this.#unread, () => this.#requests.release(this.#request, response));
  }

  get #unread(): UnreadOutput {
    return new UnreadOutput(this.#response, this.#request.socket, this.account, this.#stalledMs);
  }
}

/** A response that is sent in pieces. */
class NodeStream implements StreamWriter {
  onDrain: (() => void) | undefined;
  readonly #response: ServerResponse;
  readonly #unread: UnreadOutput;
  readonly #onAbort: () => void;
  readonly #backlog = new Backlog();

  constructor(response: ServerResponse, unread: UnreadOutput, onAbort: () => void) {
    this.#response = response;
    this.#unread = unread;
    this.#onAbort = onAbort;
    response.on('drain', () => this.onDrain?.());
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  get isFull(): boolean {
    return this.#backlog.isTooMuch(this.#response.writableLength);
  }

  write(text: string): void {
    if (!this.isOpen) return;
    this.#response.write(text);
    this.#unread.look();
  }

  end(): void {
    this.#response.end();
    this.#unread.look();
  }

  abort(): void {
    this.#response.destroy();
    this.#onAbort();
  }
}

function listenForClose(response: ServerResponse, callback: () => void): void {
  if (response.writableEnded && !response.closed) return;
  const notice = () => {
    if (!response.writableFinished) callback();
  };
  if (response.closed) notice();
  else response.once('close', notice);
}

/** How often a header was sent. */
function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] as string;
    if (raw.length === name.length && raw.toLowerCase() === name) count++;
  }
  return count;
}

function readText(
  request: IncomingMessage,
  limit: number,
  reader: NodeExchange,
  done: (body: Body) => void,
): void {
  const size = Number(request.headers['content-length']);
  if (size > limit) return done(BodyProblem.tooLarge(limit));
  if (request.readableDidRead) return done(new BodyProblem(500, ALREADY_READ));
  // The client may have disconnected while it was being authenticated; its body will never come.
  if (request.destroyed) return done(BodyProblem.cutOff());
  // Most bodies arrive with their headers. Node hands them over right after the request listener returns.
  process.nextTick(takeText, request, size, limit, reader, done);
}

/** Takes a body that has arrived as a whole, which costs less than waiting for its pieces. */
function takeText(
  request: IncomingMessage,
  size: number,
  limit: number,
  reader: NodeExchange,
  done: (body: Body) => void,
): void {
  const bytes: unknown = request.readableLength === size ? request.read() : null;
  reader.hasWholeBody = bytes instanceof Buffer;
  if (bytes instanceof Buffer) done(readUtf8(bytes));
  else gatherText(request, limit, reader, done);
}

function gatherText(
  request: IncomingMessage,
  limit: number,
  reader: BodyReader,
  done: (body: Body) => void,
): void {
  if (request.destroyed) return done(BodyProblem.cutOff());
  // The pieces come in the asynchronous context of the connection, not in that of the caller.
  const finish = AsyncResource.bind(done);
  gatherBody(request, limit, reader, body => finish(Buffer.isBuffer(body) ? readUtf8(body) : body));
}

function readUtf8(bytes: Buffer): string | BodyProblem {
  const text = bytes.toString('utf8');
  // A text without replacement characters was valid UTF-8, so most bodies need no check.
  return text.includes('\uFFFD') && !isUtf8(bytes) ? BodyProblem.notUtf8() : text;
}

/** Turns a parsed body back into text, so that the same checks apply as to any other. */
function textOfBody(body: unknown): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body);
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

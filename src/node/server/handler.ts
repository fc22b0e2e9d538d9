import type { ServerResponse } from 'node:http';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type LocalService, type Servable, serviceOf } from '../../protocol/service.js';
import { HANDLER_OPTIONS, type HandlerOptions, HttpHandler } from '../../server/http/handler.js';
import { refuseFor } from '../../server/http/refusal.js';
import type { Ledger, NoRoom } from '../../server/ledger.js';
import { MIN_UNREAD_BYTES } from '../../server/limits.js';
import { nodeCipher } from './cipher.js';
import { AccountsByConnection } from './client-accounts.js';
import { NodeExchange, type NodeRequest } from './exchange.js';
import { heapShare } from './heap-share.js';
import { OpenRequests } from './open-requests.js';
import { UnreadOutput } from './unread-output.js';

/** Options of `nodeHandler`, and of `listen`. */
export interface NodeHandlerOptions extends HandlerOptions {
  /**
   * How many proxies stand between the clients and this server: 0 by default. Memory is shared out by network address,
   * and behind proxies the client's is the one that the outermost of them has added to `X-Forwarded-For`.
   */
  proxies?: number | undefined;
}

export const NODE_HANDLER_OPTIONS: OptionNames<NodeHandlerOptions> = { ...HANDLER_OPTIONS, proxies: 1 };

/** A server as a `node:http` request listener, for `http.createServer`, Express, Fastify and the like. */
export interface NodeHandler {
  (request: NodeRequest, response: ServerResponse): void;
  (request: FrameworkRequest, reply: FrameworkReply): void;
  /** Refuses new requests, ends streams, and waits for calls up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/** A request of Fastify, or of another framework that wraps the request of Node. */
export interface FrameworkRequest {
  readonly raw: NodeRequest;
  readonly body?: unknown;
}

/** A reply of a framework that wraps the response of Node, such as Fastify. */
export interface FrameworkReply {
  readonly raw: ServerResponse;
  /** Tells the framework that the response is sent without it. */
  hijack?(): unknown;
}

/**
 * Serves a server through `(req, res)`. A body that the framework has parsed already is taken from `req.body`.
 *
 * @example
 * express().all('/mcp', nodeHandler(server));
 *
 * @example
 * fastify().all('/mcp', nodeHandler(server));
 */
export function nodeHandler(server: Servable, options: NodeHandlerOptions = {}): NodeHandler {
  const service = serviceOf(server, 'nodeHandler');
  checkOptions(options, NODE_HANDLER_OPTIONS, 'nodeHandler');
  const { serve, close } = createNodeHandler(service, options);
  const handle = (request: NodeRequest | FrameworkRequest, response: ServerResponse | FrameworkReply) => {
    if (!('raw' in request)) return serve(request, response as ServerResponse);
    const reply = response as FrameworkReply;
    reply.hijack?.();
    const { raw, body } = request;
    serve(body == null ? raw : Object.assign(raw, { body }), reply.raw);
  };
  return Object.assign(handle, { close });
}

/** The parts of a handler, and what it holds for its clients. */
export function createNodeHandler(
  service: LocalService,
  options: NodeHandlerOptions,
): {
  /** Serves a request, if there is memory for it. With `respond`, that responds instead of the handler. */
  serve(request: NodeRequest, response: ServerResponse, respond?: () => void): void;
  /** Resolves when the server has become a node of its cluster, if there is one. */
  joined(): Promise<void>;
  close(graceMs?: number): Promise<void>;
  ledger: Ledger;
  requests: OpenRequests;
} {
  const { proxies, maxHeldBytes = heapShare(), ...rest } = options;
  const handler = new HttpHandler(service, { ...rest, maxHeldBytes }, nodeCipher);
  const { ledger, stalledMs } = handler;
  const accounts = new AccountsByConnection(ledger, proxies);
  const requests = new OpenRequests((request, response) => {
    // Otherwise it was booked when it was written.
    if (response.socket === null || response.writableLength > MIN_UNREAD_BYTES) return;
    new UnreadOutput(response, request.socket, accounts.of(request).content, stalledMs).look(0);
  });
  return {
    serve(request, response, respond) {
      const { head, content } = accounts.of(request);
      const exchange = new NodeExchange(request, response, requests, content, stalledMs);
      const answer = respond ?? (() => handler.handle(exchange));
      const refusal = requests.take(request, response, exchange, head, answer);
      if (refusal) refuseAndClose(request, exchange, response, refusal);
    },
    async joined() {
      await handler.membership?.get();
    },
    close: graceMs => handler.close(graceMs),
    ledger,
    requests,
  };
}

/** The connection closes, because the request would be held until its body has arrived. */
function refuseAndClose(
  request: NodeRequest,
  exchange: NodeExchange,
  response: ServerResponse,
  refusal: NoRoom,
): void {
  response.shouldKeepAlive = false;
  // The refusal would have to wait for the responses to earlier requests.
  if (response.socket === null) request.socket.destroy();
  else refuseFor(exchange, refusal);
}

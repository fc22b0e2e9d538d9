import type { ServerResponse } from 'node:http';
import { checkOptions } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import { HANDLER_OPTIONS, type HandlerOptions, HttpHandler } from '../../server/http/handler.js';
import { nodeCipher } from './cipher.js';
import { NodeExchange, type NodeRequest } from './exchange.js';

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
export function nodeHandler(server: Servable, options: HandlerOptions = {}): NodeHandler {
  const service = serviceOf(server, 'nodeHandler');
  checkOptions(options, HANDLER_OPTIONS, 'nodeHandler');
  const handler = new HttpHandler(service, options, nodeCipher);
  const serve = (request: NodeRequest | FrameworkRequest, response: ServerResponse | FrameworkReply) => {
    if (!('raw' in request)) return handler.handle(new NodeExchange(request, response as ServerResponse));
    const reply = response as FrameworkReply;
    reply.hijack?.();
    const { raw, body } = request;
    handler.handle(new NodeExchange(body == null ? raw : Object.assign(raw, { body }), reply.raw));
  };
  return Object.assign(serve, { close: (graceMs?: number) => handler.close(graceMs) });
}

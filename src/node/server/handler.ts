import type { ServerResponse } from 'node:http';
import { checkOptions } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import { HANDLER_OPTIONS, type HandlerOptions, HttpHandler } from '../../server/http/handler.js';
import { nodeCipher } from './cipher.js';
import { NodeExchange, type NodeRequest } from './exchange.js';

/** A server as a `node:http` request listener, for `http.createServer`, Express, Fastify and the like. */
export interface NodeHandler {
  (request: NodeRequest, response: ServerResponse): void;
  /** Refuses new requests, ends streams, and waits for calls up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server through `(req, res)`. If a framework has parsed the body already, it is taken from `req.body`.
 *
 * @example
 * const app = express();
 * app.all('/mcp', nodeHandler(server));
 */
export function nodeHandler(server: Servable, options: HandlerOptions = {}): NodeHandler {
  const service = serviceOf(server, 'nodeHandler');
  checkOptions(options, HANDLER_OPTIONS, 'nodeHandler');
  const handler = new HttpHandler(service, options, nodeCipher);
  const serve = (request: NodeRequest, response: ServerResponse) => {
    handler.handle(new NodeExchange(request, response));
  };
  return Object.assign(serve, { close: (graceMs?: number) => handler.close(graceMs) });
}

import type { Caller } from '../../../protocol/caller.js';
import { HEADER } from '../../../protocol/headers.js';
import type { Service } from '../../../protocol/service.js';
import { type Connection, serveConnection } from '../../pipe.js';
import { BodyProblem, type Exchange, type StreamWriter } from '../exchange.js';
import { isJson } from '../media-types.js';
import { refuse } from '../refusal.js';
import { openStream } from '../reply.js';
import { messageEvent } from '../sse.js';

/** Where the two endpoints of the old transport are. */
export interface LegacySsePaths {
  stream: string;
  messages: string;
}

/** What the option of a handler means: nothing, the usual paths, or others. */
export function ssePaths(option: boolean | LegacySsePaths | undefined): LegacySsePaths | undefined {
  return option === true ? { stream: '/sse', messages: '/messages' } : option || undefined;
}

/** The HTTP+SSE transport of the first revision: messages come by POST, and all answers go out on one stream. */
export interface LegacySse {
  /** Whether an exchange is for one of the two endpoints. */
  takes(exchange: Exchange): boolean;
  handle(exchange: Exchange, caller: Caller | undefined): void;
  close(graceMs: number): Promise<void>;
}

/** Goes on with a message, unless the caller may not send it. */
type AdmitText = (exchange: Exchange, text: string, caller: Caller | undefined, proceed: () => void) => void;

interface Client {
  connection: Connection;
  sink: StreamWriter;
  principal: string | undefined;
}

export function createLegacySse(
  service: Service,
  options: { paths: LegacySsePaths; heartbeatMs: number; maxBodyBytes: number; admit: AdmitText },
): LegacySse {
  const clients = new Map<string, Client>();
  const { paths } = options;

  function open(exchange: Exchange, caller: Caller | undefined): void {
    const id = crypto.randomUUID();
    const sink = openStream(exchange, options.heartbeatMs);
    const connection = serveConnection(service, text => sink.write(messageEvent(text)), {
      caller,
    });
    clients.set(id, { connection, sink, principal: caller?.principal });
    exchange.onDisconnect(() => {
      clients.delete(id);
      void connection.close();
    });
    sink.write(`event: endpoint\ndata: ${paths.messages}?sessionId=${id}\n\n`);
  }

  function receive(exchange: Exchange, caller: Caller | undefined): void {
    const client = clients.get(exchange.query.get('sessionId') ?? '');
    if (!client || client.principal !== caller?.principal) {
      return refuse(exchange, 404, `no such stream; open one with GET ${paths.stream}`);
    }
    if (!isJson(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'the content type must be application/json');
    }
    exchange.readBody(options.maxBodyBytes, body => {
      if (body instanceof BodyProblem) return refuse(exchange, body.status, body.message);
      options.admit(exchange, body, caller, () => {
        exchange.respond(202);
        void client.connection.receive(body);
      });
    });
  }

  return {
    takes(exchange) {
      const { path, method } = exchange;
      if (path === paths.messages && method === 'POST') return true;
      // Whoever has a session has opened it with the newer transport, which is served on every path.
      return path === paths.stream && method === 'GET' && exchange.header(HEADER.sessionId) === undefined;
    },

    handle(exchange, caller) {
      if (exchange.path === paths.stream) open(exchange, caller);
      else receive(exchange, caller);
    },

    async close(graceMs) {
      const open = [...clients.values()];
      clients.clear();
      await Promise.all(open.map(({ connection, sink }) => connection.close(graceMs).then(() => sink.end())));
    },
  };
}

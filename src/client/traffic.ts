import type { JsonObject } from '../base/json.js';
import type { RequestId, Response } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import { HttpError, InvalidAnswer } from '../protocol/failures.js';
import type { Dialer } from './negotiator.js';
import type { Clock, Headers, Incoming, OpenWire, Outgoing, Sent, Wire } from './wire.js';

/**
 * A message on its way between client and server, or the reason why a request got no answer or a message cannot be read.
 *
 * @example
 * await connect(url, {
 *   onMessage: traffic => {
 *     if (traffic.direction !== 'failed') console.error(traffic.direction, JSON.stringify(traffic.message));
 *   },
 * });
 */
export type Traffic =
  | {
      readonly direction: 'sent';
      readonly message: JsonObject;
      /** The headers of the protocol that it was sent with over HTTP: the session id is among them, tokens are not. */
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly direction: 'received';
      readonly message: JsonObject;
      /** The HTTP status, if the server refused the request with it. */
      readonly status?: number | undefined;
    }
  | {
      readonly direction: 'failed';
      /** The id of the request that gets no answer, or of a message that cannot be read. */
      readonly id?: string | number | undefined;
      readonly error: Error;
    };

export type TrafficListener = (traffic: Traffic) => void;

/** Opens the same connections, and shows their messages to `listener`. */
export function observe(dialer: Dialer, listener: TrafficListener): Dialer {
  const { openSse } = dialer;
  return {
    ...dialer,
    open: observeWire(dialer.open, listener),
    ...(openSse && { openSse: observeWire(openSse, listener) }),
  };
}

function observeWire(open: OpenWire, listener: TrafficListener): OpenWire {
  return async (receive, closed, signal) => {
    const wire = await open(
      (message, session) => {
        listener(incoming(message));
        receive(message, session);
      },
      closed,
      signal,
    );
    return show(wire, listener);
  };
}

/** Shows what a wire sends, and the responses. The wire itself is changed, so that its other members stay. */
function show(wire: Wire, listener: TrafficListener): Wire {
  const request = wire.request.bind(wire);
  const post = wire.post.bind(wire);
  const sent = (message: JsonObject, headers: Headers | undefined) =>
    listener({ direction: 'sent', message, ...(wire.hasHeaders && { headers }) });
  return Object.assign(wire, {
    request(outgoing: Outgoing, headers?: Headers, clock?: Clock): Sent<Response> {
      const { id, method, params } = outgoing;
      sent({ jsonrpc: '2.0', id, method, params }, headers);
      const pending = request(outgoing, headers, clock);
      return { ...pending, response: pending.response.then(...shown(id, listener)) };
    },
    post(text: string, headers?: Headers, clock?: Clock): Sent<void> {
      sent(JSON.parse(text), headers);
      return post(text, headers, clock);
    },
  });
}

function shown(
  id: RequestId,
  listener: TrafficListener,
): [(answer: Response) => Response, (error: Error) => never] {
  return [
    answer => {
      listener({ direction: 'received', message: { jsonrpc: '2.0', id, ...answer.outcome } });
      return answer;
    },
    error => {
      listener(refusal(id, error));
      throw error;
    },
  ];
}

function incoming(message: Incoming): Traffic {
  if (message.kind === 'malformed') {
    return { direction: 'failed', id: message.id, error: new InvalidAnswer(message.error.message) };
  }
  const { method, params } = message;
  const id = message.kind === 'request' && { id: message.id };
  return { direction: 'received', message: { jsonrpc: '2.0', ...id, method, params } };
}

/** An error that came with an HTTP status is a message all the same. */
function refusal(id: RequestId, error: Error): Traffic {
  if (!(error instanceof McpError)) return { direction: 'failed', id, error };
  const { code, message, data, cause } = error;
  return {
    direction: 'received',
    message: { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } },
    ...(cause instanceof HttpError && { status: cause.status }),
  };
}

import { type Awaitable, settle } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import { McpError } from '../../protocol/errors.js';
import { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import type { ProtectedRequest, Protection } from './protection.js';

/** Establishes who calls, in a way of the author's own. */
export type Authenticate = (
  request: Pick<Exchange, 'method' | 'path' | 'header'>,
) => Awaitable<Caller | undefined>;

/** Finds out who makes a request, or why nobody may as this one. */
export type Identify = (request: ProtectedRequest) => Awaitable<Caller | Challenge | undefined>;

export function createIdentify(
  protection: Protection | undefined,
  authenticate: Authenticate | undefined,
): Identify | undefined {
  if (protection) return request => protection.authenticate(request);
  if (!authenticate) return undefined;
  return request =>
    settle<Caller | undefined, Caller | Challenge | undefined>(
      () => authenticate(describeRequest(request)),
      caller => caller,
      challengeOf,
    );
}

/** A request as authors get it, who may take it apart: `({ header }) => header('x-user')`. */
function describeRequest(request: ProtectedRequest): Parameters<Authenticate>[0] {
  const { method, path } = request;
  return { method, path, header: name => request.header(name) };
}

/** The author's own function refuses by throwing. */
function challengeOf(thrown: unknown): Challenge {
  const message = thrown instanceof McpError ? thrown.message : 'not authorized';
  return new Challenge(401, message, { 'www-authenticate': 'Bearer' });
}

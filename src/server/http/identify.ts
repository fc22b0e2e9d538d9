import { type Awaitable, settle } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import { McpError } from '../../protocol/errors.js';
import { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import type { ProtectedRequest, Protection } from './protection.js';

/** The author's own function to authenticate a caller. */
export type Authenticate = (
  request: Pick<Exchange, 'method' | 'path' | 'header'>,
) => Awaitable<Caller | undefined>;

/** Authenticates the caller of a request, or returns the challenge that refuses it. */
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

/** The request in the form that authors get. It can be destructured: `({ header }) => header('x-user')`. */
function describeRequest(request: ProtectedRequest): Parameters<Authenticate>[0] {
  const { method, path } = request;
  return { method, path, header: name => request.header(name) };
}

/** The author's function refuses a caller by throwing. */
function challengeOf(thrown: unknown): Challenge {
  const message = thrown instanceof McpError ? thrown.message : 'not authorized';
  return new Challenge(401, message, { 'www-authenticate': 'Bearer' });
}

import type { Awaitable } from '../../base/settle.js';
import type { RemoteService } from '../../protocol/service.js';
import { type AccessCheck, createAccessCheck } from './access-check.js';
import type { Exchange } from './exchange.js';
import { type Authenticate, createIdentify, type Identify } from './identify.js';
import type { Protection } from './protection.js';
import { inTurns } from './verification-turns.js';

/** Finds out who the callers of a server over HTTP are, and what they may do. Loaded on demand: open servers need none of it. */
export interface HttpAccess {
  identify(exchange: Exchange): Awaitable<Awaited<ReturnType<Identify>>>;
  readonly findObjection: AccessCheck;
}

export function createHttpAccess(
  service: RemoteService,
  protection: Protection | undefined,
  authenticate: Authenticate | undefined,
): HttpAccess {
  const identify = createIdentify(protection, authenticate);
  return {
    identify: identify ? inTurns(identify) : () => undefined,
    findObjection: createAccessCheck(service, protection, authenticate !== undefined),
  };
}

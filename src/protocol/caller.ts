import type { JsonObject } from '../base/json.js';

/**
 * Who makes a request, as the transport's authorization has established it.
 *
 * `principal` is what sessions and sealed states are bound to: it must be stable for one user of one client
 * and different for all others.
 */
export interface Caller {
  readonly principal: string;
  readonly subject?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
  /** Seconds since the epoch. */
  readonly expiresAt?: number;
  readonly claims?: JsonObject;
}

/** Whether what a caller showed is no longer good. */
export function hasExpired(caller: Pick<Caller, 'expiresAt'> | undefined): boolean {
  return caller?.expiresAt !== undefined && caller.expiresAt * 1000 <= Date.now();
}

export function hasScopes(caller: Caller | undefined, scopes: readonly string[]): boolean {
  return scopes.every(scope => caller?.scopes?.includes(scope));
}

import type { JsonObject } from '../base/json.js';

/**
 * Who makes a request, as the transport's authorization has established it.
 *
 * `principal` is what sessions and sealed states are bound to: it must be stable for one user of one client
 * and different for all others.
 */
export interface Auth {
  readonly principal: string;
  readonly subject?: string;
  readonly clientId?: string;
  readonly scopes?: readonly string[];
  /** Seconds since the epoch. */
  readonly expiresAt?: number;
  readonly claims?: JsonObject;
}

/** Whether what a caller showed is no longer good. */
export function hasExpired(auth: Pick<Auth, 'expiresAt'> | undefined): boolean {
  return auth?.expiresAt !== undefined && auth.expiresAt * 1000 <= Date.now();
}

export function hasScopes(auth: Auth | undefined, scopes: readonly string[]): boolean {
  return scopes.every(scope => auth?.scopes?.includes(scope));
}

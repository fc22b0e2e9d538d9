import type { JsonObject } from '../base/json.js';

/**
 * Who makes a request, as established by the authorization of the transport.
 *
 * Sessions and sealed states are bound to `principal`: it must be stable for one user of one client and different for
 * all others.
 */
export interface Caller {
  readonly principal: string;
  readonly subject?: string | undefined;
  readonly clientId?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  readonly claims?: JsonObject | undefined;
}

/** Whether the caller's credentials have expired. */
export function hasExpired(caller: Pick<Caller, 'expiresAt'> | undefined): boolean {
  return caller?.expiresAt !== undefined && caller.expiresAt <= Date.now();
}

export function hasScopes(caller: Caller | undefined, scopes: readonly string[]): boolean {
  return scopes.every(scope => caller?.scopes?.includes(scope));
}

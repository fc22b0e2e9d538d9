import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { OptionNames } from '../../base/options.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Session } from '../../protocol/call.js';
import { type Caller, hasScopes } from '../../protocol/caller.js';

/** Restricts the use of a tool, a resource or a prompt. */
export interface AccessOptions {
  /**
   * The scopes that a caller's token needs, all of them. They apply where callers have tokens, which is over HTTP; a
   * process that is served over stdio belongs to its user.
   */
  scopes?: readonly string[] | undefined;
  /** Decides by other rules whether a caller may use it, on every transport. */
  authorize?: ((request: AccessRequest) => Awaitable<boolean>) | undefined;
  /** Hides it from callers that may not use it: it is not listed, and using it fails as if it did not exist. */
  hidden?: 'unless-allowed' | undefined;
}

export const ACCESS_OPTIONS: OptionNames<AccessOptions> = { scopes: 1, authorize: 'a function', hidden: 1 };

/** A caller that wants to use an entry. */
export interface AccessRequest {
  readonly caller: Caller | undefined;
  /**
   * The session of the request, if the entry is `hidden` and the client's revision has sessions. The rule of an entry
   * that is not hidden is asked before the session is known.
   */
  readonly session: Session | undefined;
  /** The name, or the URI of a resource. */
  readonly target: string;
  /** As the client sent them, not checked yet; undefined if the entry is only to be listed. */
  readonly arguments: JsonObject | undefined;
}

/** The compiled access options of an entry. */
export interface Access {
  readonly scopes: readonly string[];
  readonly isHidden: boolean;
  /** The author's rule, if there is one. */
  readonly authorize: AccessOptions['authorize'];
}

/**
 * Printable characters without space, quote and backslash. `offline_access` is between clients and the authorization
 * server, so a server does not demand it.
 */
const SCOPE = /^(?!offline_access$)[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Returns undefined if every caller may use the entry. */
export function compileAccess(options: AccessOptions, what: string): Access | undefined {
  const { scopes = [], authorize, hidden } = options;
  if (!Array.isArray(scopes)) throw new UsageError(`the scopes of ${what} must be a list: ["menu:write"]`);
  if (hidden !== undefined && hidden !== 'unless-allowed') {
    throw new UsageError(`hidden of ${what} must be "unless-allowed"`);
  }
  for (const scope of scopes) {
    if (!SCOPE.test(scope)) throw new UsageError(`${what}: ${JSON.stringify(scope)} cannot be a scope`);
  }
  if (scopes.length > 0 || authorize) {
    return { scopes: [...scopes], isHidden: hidden !== undefined, authorize };
  }
  if (hidden) throw new UsageError(`${what} is hidden, but open to every caller: add scopes or authorize`);
  return undefined;
}

/**
 * Whether a caller may use an entry. `isRemote` means that callers are only as trusted as their tokens; other callers
 * need no scopes. `describe` makes the request for the author's rule: most entries have none.
 */
export function isAllowed(
  access: Access,
  caller: Caller | undefined,
  isRemote: boolean,
  describe: () => AccessRequest,
): Awaitable<boolean> {
  const needsScopes = isRemote || caller !== undefined;
  if (needsScopes && !hasScopes(caller, access.scopes)) return false;
  if (!access.authorize) return true;
  // A rule that returns nothing does not allow anything.
  return andThen(access.authorize(describe()), allowed => allowed === true);
}

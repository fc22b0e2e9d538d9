import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { OptionNames } from '../../base/options.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import { type Caller, hasScopes } from '../../protocol/caller.js';
import { checkFunction } from './registration.js';

/** Who may use a tool, a resource or a prompt. */
export interface AccessOptions {
  /**
   * The scopes that a caller's token needs, all of them. They apply where callers come with tokens, which is over
   * HTTP; a process that talks over stdio belongs to its user.
   */
  scopes?: readonly string[] | undefined;
  /** Decides about a caller in all other respects, on every transport. */
  authorize?: ((request: AccessRequest) => Awaitable<boolean>) | undefined;
  /** Leaves it out of the lists of those who may not use it; for them, it does not exist. */
  hidden?: 'unless-allowed' | undefined;
}

export const ACCESS_OPTIONS: OptionNames<AccessOptions> = { scopes: 1, authorize: 1, hidden: 1 };

/** Who wants to use something, and for what. */
export interface AccessRequest {
  readonly caller: Caller | undefined;
  /** The name or the URI. */
  readonly target: string;
  /** As the client sent them, not checked yet; undefined when it is only about being listed. */
  readonly arguments: JsonObject | undefined;
}

/** What became of the options of an entry that not everybody may use. */
export interface Access {
  readonly scopes: readonly string[];
  readonly isHidden: boolean;
  /** The author's rule, if there is one. */
  readonly authorize: AccessOptions['authorize'];
}

/** Printable, without space, quote and backslash. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Undefined if everybody may use it. */
export function compileAccess(options: AccessOptions, what: string): Access | undefined {
  const { scopes = [], authorize, hidden } = options;
  if (!Array.isArray(scopes)) throw new UsageError(`the scopes of ${what} must be a list: ["menu:write"]`);
  if (authorize !== undefined) checkFunction(authorize, `authorize of ${what}`);
  if (hidden !== undefined && hidden !== 'unless-allowed') {
    throw new UsageError(`hidden of ${what} must be "unless-allowed"`);
  }
  for (const scope of scopes) {
    if (!SCOPE.test(scope)) throw new UsageError(`${what}: ${JSON.stringify(scope)} cannot be a scope`);
  }
  if (scopes.length > 0 || authorize) {
    return { scopes: [...scopes], isHidden: hidden !== undefined, authorize };
  }
  if (hidden) throw new UsageError(`${what} is hidden, but says not from whom: add scopes or authorize`);
  return undefined;
}

/**
 * Whether a caller may use something. `isRemote` says that callers are only as trusted as their tokens; others
 * need no scopes.
 */
export function isAllowed(access: Access, request: AccessRequest, isRemote: boolean): Awaitable<boolean> {
  const needsScopes = isRemote || request.caller !== undefined;
  if (needsScopes && !hasScopes(request.caller, access.scopes)) return false;
  if (!access.authorize) return true;
  // A rule that says nothing has not said yes.
  return andThen(access.authorize(request), allowed => allowed === true);
}

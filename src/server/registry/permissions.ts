import { clip } from '../../base/clip.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { type Awaitable, andThen, isTrueOfAll } from '../../base/settle.js';
import type { Call, Result, Session } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { type Access, isAllowed } from './access.js';
import type { Entry } from './registry.js';
import type { Target } from './targets.js';

/** Checks calls against the access options of entries. */
export class Permissions {
  readonly #isRemote: boolean;
  /** Targets allowed before their call began, by the parameters of the request, so that no rule runs twice. */
  readonly #admitted = new WeakMap<JsonObject, Access>();

  /** `isRemote` means that callers are only as trusted as their tokens. */
  constructor(options: { isRemote: boolean }) {
    this.#isRemote = options.isRemote;
  }

  /** Whether a request may be made at all. Hidden targets are admitted here, and `use` does not find them. */
  admit(targets: readonly Target[], params: JsonObject, caller: Caller | undefined): Awaitable<boolean> {
    return isTrueOfAll(targets, ({ access, name }) => {
      if (access.isHidden) return true;
      if (targets.length === 1 && access.authorize) return this.#allow(access, name, params, caller);
      return this.isAllowed(access, name, params, caller);
    });
  }

  /** Whether a caller may know that an entry exists. */
  mayKnow(
    { access }: Entry,
    name: string,
    params: JsonObject,
    caller: Caller | undefined,
  ): Awaitable<boolean> {
    return !access?.isHidden || this.#allow(access, name, params, caller);
  }

  /** Runs the use of an entry, if it is allowed. Otherwise throws: forbidden, or unknown if the entry is hidden. */
  use(
    { access }: Entry,
    name: string,
    call: Call,
    unknown: () => McpError,
    run: () => Awaitable<Result>,
  ): Awaitable<Result> {
    if (!access || (access.authorize && this.#admitted.get(call.params) === access)) return run();
    const session = access.isHidden ? call.session : undefined;
    return andThen(this.isAllowed(access, name, call.params, call.caller, session), allowed => {
      if (allowed) return run();
      throw access.isHidden ? unknown() : forbidden(name);
    });
  }

  /** Whether a caller may use an entry. A request that may is remembered. */
  #allow(access: Access, name: string, params: JsonObject, caller: Caller | undefined): Awaitable<boolean> {
    return andThen(this.isAllowed(access, name, params, caller), allowed => {
      if (allowed) this.#admitted.set(params, access);
      return allowed;
    });
  }

  /** Whether a caller may use an entry at this moment. */
  isAllowed(
    access: Access,
    target: string,
    params: JsonObject,
    caller: Caller | undefined,
    session?: Session,
  ): Awaitable<boolean> {
    return isAllowed(access, caller, this.#isRemote, () => {
      return { caller, session, target, arguments: isObject(params.arguments) ? params.arguments : {} };
    });
  }

  mayList({ access }: Entry, name: string, call: Call): Awaitable<boolean> {
    if (!access) return true;
    const { caller, session } = call;
    return isAllowed(access, caller, this.#isRemote, () => {
      return { caller, session, target: name, arguments: undefined };
    });
  }
}

function forbidden(name: string): McpError {
  return new McpError(ERROR.invalidRequest, `${clip(name)} may not be used by this caller`);
}

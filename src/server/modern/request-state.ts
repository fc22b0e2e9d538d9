import { canonicalText } from '../../base/canonical.js';
import type { JsonObject } from '../../base/json.js';
import { isLonger } from '../../base/json-length.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, invalidParams, McpError } from '../../protocol/errors.js';
import { MAX_STATE_BYTES, MAX_UNPACKED_STATE, STATE_LIFETIME_MS } from '../limits.js';
import type { Seal } from '../seal/seal.js';
import type { RoundState } from './round-state.js';

const PURPOSE = 'request state';
/** The beginning of a state contains the IV of its seal, so it identifies the state. */
const ID_LENGTH = 32;

/** The request that a state belongs to. The state cannot be opened for another one. */
export interface StateOwner {
  readonly method: string;
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
}

/** Seals the state of a request for its next round, and opens it again. */
export interface RequestStates {
  seal(owner: StateOwner, state: RoundState): Awaitable<string>;
  /** Throws the same `-32602` for everything that is not a valid state of this very request. */
  open(owner: StateOwner, token: string): Awaitable<RoundState>;
}

/** `seal` is for one server: states of another server with the same keys are not valid here. */
export function createRequestStates(seal: Seal, lifetimeMs: number = STATE_LIFETIME_MS): RequestStates {
  return {
    seal(owner, state) {
      const content = { ...state, id: undefined, expiresAt: Date.now() + lifetimeMs };
      // The answers of a client may have megabytes.
      if (isLonger(content, MAX_UNPACKED_STATE)) throw tooLarge(MAX_UNPACKED_STATE);
      const text = JSON.stringify(content);
      if (text.length > MAX_UNPACKED_STATE) throw tooLarge(MAX_UNPACKED_STATE);
      return andThen(seal.seal(PURPOSE, boundTo(owner), text), token => {
        if (token.length > MAX_STATE_BYTES) throw tooLarge(MAX_STATE_BYTES);
        return token;
      });
    },

    open(owner, token) {
      if (token.length > MAX_STATE_BYTES) throw invalidState();
      return andThen(seal.open(PURPOSE, boundTo(owner), token), text => {
        if (text === undefined) throw invalidState();
        const state = JSON.parse(text) as RoundState & { expiresAt: number };
        if (state.expiresAt < Date.now()) throw invalidState();
        return { ...state, id: token.slice(0, ID_LENGTH) };
      });
    },
  };
}

/** Everything that must be the same in the next round. JSON texts in a row are unambiguous without separators. */
function boundTo({ method, params, caller }: StateOwner): string {
  let salient = JSON.stringify([caller?.principal ?? null, method]);
  for (const name of Object.keys(params).sort()) {
    if (!ROUND_PARAMS.has(name)) salient += JSON.stringify(name) + canonicalText(params[name]);
  }
  return salient;
}

/** Parameters that differ from round to round. */
const ROUND_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

/** The same error for every failure, so that it tells an attacker nothing. */
export function invalidState(): McpError {
  return invalidParams('requestState is not valid for this request; start again without it');
}

function tooLarge(limit: number): McpError {
  return new McpError(
    ERROR.internal,
    `the state of this request has more than the limit of ${limit} bytes; ` +
      'it contains results of ctx.step and answers of the client: return less from steps, and ask for less',
  );
}

import { canonicalText } from '../../base/canonical.js';
import type { JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, invalidParams, McpError } from '../../protocol/errors.js';
import type { Seal } from '../seal/seal.js';
import type { ByHand } from './by-hand.js';
import type { Entry } from './journal.js';

const PURPOSE = 'request state';
const LIFETIME_MS = 10 * 60_000;
const MAX_ROUNDS = 16;
/** How long states of one request can come: each round makes a new one. */
export const MAX_LIFETIME_MS = MAX_ROUNDS * LIFETIME_MS;
const MAX_BYTES = 64 * 1024;
/** Before it is compressed: a client must not make us unpack megabytes with every small request. */
const MAX_UNPACKED = 1024 * 1024;
/** The IV of a seal is in here, so the beginning of a state tells it from all others. */
const ID_LENGTH = 32;

/** What travels with the client from round to round. */
export interface RequestState {
  /** The same for all states of one request. */
  requestId: string;
  /** The number of the round that made it. */
  round: number;
  journal: readonly Entry[];
  /** How often the request came to points that it passes only once. */
  passes: number;
  /** What a handler that asks by hand wants to know again. */
  own?: string | undefined;
  /** What it has asked so far, if it has. */
  asked?: readonly ByHand[] | undefined;
}

export interface OpenedState extends RequestState {
  /** Different for every state that was ever sealed. */
  id: string;
  expiresAt: number;
}

/** The request that a state belongs to. It opens for nothing else. */
export interface StateOwner {
  readonly method: string;
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
}

/** Seals the state of a request for its next round, and opens it again. */
export interface RequestStates {
  seal(owner: StateOwner, state: RequestState): Awaitable<string>;
  /** Throws the same `-32602` for everything that is not a good state of this very request. */
  open(owner: StateOwner, token: string): Awaitable<OpenedState>;
}

interface Claims {
  n: number;
  i: string;
  j: readonly Entry[];
  p: number;
  e: number;
  o?: string | undefined;
  h?: readonly ByHand[] | undefined;
}

/** `audience` is the name of the server: states of another server with the same keys are not good here. */
export function createRequestStates(seal: Seal, audience: string): RequestStates {
  return {
    seal(owner, { requestId: i, round: n, journal: j, passes: p, own: o, asked: h }) {
      if (n >= MAX_ROUNDS) throw tooManyRounds();
      const claims: Claims = { n, i, j, p, e: Date.now() + LIFETIME_MS, o, h };
      const text = JSON.stringify(claims);
      if (text.length > MAX_UNPACKED) throw tooLarge(text.length, MAX_UNPACKED);
      return andThen(seal.seal(PURPOSE, boundTo(owner, audience), text), token => {
        if (token.length > MAX_BYTES) throw tooLarge(token.length, MAX_BYTES);
        return token;
      });
    },

    open(owner, token) {
      if (token.length > MAX_BYTES) throw invalidState();
      return andThen(seal.open(PURPOSE, boundTo(owner, audience), token), text => {
        if (text === undefined) throw invalidState();
        const { n, i, j, p, e, o, h } = JSON.parse(text) as Claims;
        if (e < Date.now()) throw invalidState();
        const id = token.slice(0, ID_LENGTH);
        return { id, requestId: i, round: n, journal: j, passes: p, expiresAt: e, own: o, asked: h };
      });
    },
  };
}

/** Everything that must be the same when the request comes again: JSON texts in a row, so where each ends is certain. */
function boundTo({ method, params, caller }: StateOwner, audience: string): string {
  let salient = JSON.stringify([audience, caller?.principal ?? null, method]);
  for (const name of Object.keys(params).sort()) {
    if (!ROUND_PARAMS.has(name)) salient += JSON.stringify(name) + canonicalText(params[name]);
  }
  return salient;
}

/** Parameters that differ from round to round. */
const ROUND_PARAMS: ReadonlySet<string> = new Set(['_meta', 'inputResponses', 'requestState']);

/** One answer to all that fails, so that it tells an attacker nothing. */
export function invalidState(): McpError {
  return invalidParams('requestState is not valid for this request; start again without it');
}

function tooManyRounds(): McpError {
  return new McpError(
    ERROR.internal,
    `the handler asked in more than ${MAX_ROUNDS} rounds, which is the limit`,
  );
}

function tooLarge(length: number, limit: number): McpError {
  return new McpError(
    ERROR.internal,
    `the state of this request has ${length} bytes, more than the ${limit} that may travel; ` +
      'results of ctx.step and answers of the client are in it: return less from steps, and ask for less',
  );
}

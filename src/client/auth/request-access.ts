import type { Awaitable } from '../../base/settle.js';
import type { Authorizer, RequestAccess } from '../http/access.js';
import type { HttpRequest, HttpResponse } from '../http/send.js';
import { type NonceHolder, RequestNonce } from './dpop-nonce.js';
import { AccessError } from './errors.js';
import { coversScopes, parseScopes } from './scopes.js';
import { isExpired, type TokenSet } from './tokens.js';
import { type Demand, readDemand, refusalReason } from './www-authenticate.js';

/** Provides the tokens for requests. */
export interface TokenSource extends NonceHolder {
  /** The tokens to use now, if there are any. */
  tokens(): Awaitable<TokenSet | undefined>;
  /** Those to use for a request that nobody waits for. */
  tokensAtHand(): Promise<TokenSet | undefined>;
  /** The headers with an access token and, with DPoP, a proof that contains the server's nonce. */
  headersFor(
    request: Pick<HttpRequest, 'method' | 'url'>,
    tokens: TokenSet,
    nonce: string | undefined,
  ): Awaitable<Readonly<Record<string, string>>>;
  /** Replaces tokens that the server refused. `isFutile`: a refresh would not help. */
  renew(used: TokenSet | undefined, demand: Demand, isFutile: boolean): Promise<TokenSet>;
  /** The scopes that the metadata of the server lists. */
  scopesFor(demand: Demand): Promise<readonly string[] | undefined>;
  /** Obtains tokens with more scopes. */
  stepUp(used: TokenSet, demand: Demand): Promise<TokenSet>;
  /** A request starts or stops to wait for tokens. When none waits any more, a sign-in in progress is aborted. */
  join(): void;
  leave(): void;
}

/** How often one request may cause new tokens, because it was refused or lacked scopes. */
const MAX_RENEWALS = 3;
const MAX_STEPS_UP = 3;
/** For how long the user is not asked again for scopes that were just denied. */
const ASK_AGAIN_MS = 60_000;

/** The access of one request: the tokens it used, and what was tried after they were refused. */
export class TokenRequestAccess implements RequestAccess {
  readonly #authorization: TokenSource;
  readonly #request: Parameters<Authorizer['begin']>[0];
  readonly #nonce: RequestNonce;
  readonly #startedAt = Date.now();
  #used: TokenSet | undefined;
  #renewals = 0;
  #stepsUp = 0;
  #isWaiting = false;

  constructor(authorization: TokenSource, request: Parameters<Authorizer['begin']>[0]) {
    this.#authorization = authorization;
    this.#request = request;
    this.#nonce = new RequestNonce(authorization);
  }

  headers(): Awaitable<Readonly<Record<string, string>>> {
    if (this.#request.isUnattended)
      return this.#authorization.tokensAtHand().then(found => this.#show(found));
    const tokens = this.#authorization.tokens();
    return tokens instanceof Promise
      ? this.#wait(tokens).then(found => this.#show(found))
      : this.#show(tokens);
  }

  heard(response: Pick<HttpResponse, 'header'>): void {
    this.#nonce.heard(response);
  }

  async refused(response: Pick<HttpResponse, 'status' | 'header'>): Promise<boolean> {
    const demand = readDemand(response.header('www-authenticate'));
    return response.status === 401 ? this.#reauthorize(demand) : this.#stepUp(demand);
  }

  abandon(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#authorization.leave();
  }

  async #wait<T>(tokens: Promise<T>): Promise<T> {
    this.#isWaiting = true;
    this.#authorization.join();
    try {
      return await tokens;
    } finally {
      this.abandon();
    }
  }

  #show(tokens: TokenSet | undefined): Awaitable<Readonly<Record<string, string>>> {
    this.#used = tokens;
    const nonce = this.#nonce.show();
    return tokens ? this.#authorization.headersFor(this.#request, tokens, nonce) : {};
  }

  async #reauthorize(demand: Demand): Promise<boolean> {
    if (this.#nonce.isWorthATry(demand)) return true;
    if (this.#renewals++ >= MAX_RENEWALS) {
      throw new AccessError(
        'refused',
        `the server refuses the tokens that its own authorization server gives${refusalReason(demand) || '; it may expect another audience or issuer'}`,
      );
    }
    const used = this.#used;
    // If a token that was obtained during this request is refused, a refreshed one would be refused too, unless it has
    // expired in the meantime.
    const isFutile = used !== undefined && used.obtainedAt >= this.#startedAt && !isExpired(used);
    await this.#wait(this.#authorization.renew(used, demand, isFutile));
    return true;
  }

  /** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#step-up-authorization-flow */
  async #stepUp(demand: Demand): Promise<boolean> {
    const used = this.#used;
    if (demand.error !== 'insufficient_scope' || !used) return false;
    // A server that does not name them may list those that it has.
    const needed =
      demand.scope === undefined ? await this.#authorization.scopesFor(demand) : parseScopes(demand.scope);
    if (!needed?.length) return false;
    const isHeld = coversScopes(used.granted ?? used.scopes, needed);
    if (isHeld || isAskedInVain(used, needed) || this.#stepsUp >= MAX_STEPS_UP) {
      throw new AccessError(
        'scope',
        `the server requires the scopes ${needed.join(' ')}, but does not accept the token that was obtained for them`,
      );
    }
    const tokens = await this.#wait(this.#authorization.stepUp(used, demand));
    // The new tokens may have been obtained for another request with other scopes.
    if (coversScopes(tokens.scopes, needed)) this.#stepsUp++;
    return true;
  }
}

/** Whether these scopes were requested a short time ago. Later the user may decide differently. */
function isAskedInVain({ scopes, obtainedAt }: TokenSet, needed: readonly string[]): boolean {
  return coversScopes(scopes, needed) && Date.now() - obtainedAt < ASK_AGAIN_MS;
}

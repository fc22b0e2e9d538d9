import type { HttpResponse } from '../http/send.js';
import type { Demand } from './www-authenticate.js';

/** How often one request is sent again because the server wants another nonce in its proof. */
const MAX_TRIES = 3;

/** What a server gave last to put into proofs; all requests share it. */
export interface NonceHolder {
  nonce: string | undefined;
}

/**
 * The nonces that one request has shown, and those that the server wants in their place.
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
 */
export class RequestNonce {
  readonly #holder: NonceHolder;
  #shown: string | undefined;
  #hasNew = false;
  #tries = 0;

  constructor(holder: NonceHolder) {
    this.#holder = holder;
  }

  /** The nonce to put into the proof that is made now. */
  show(): string | undefined {
    this.#shown = this.#holder.nonce;
    return this.#shown;
  }

  /** Looks for a nonce in a response. */
  heard(response: Pick<HttpResponse, 'header'>): void {
    const nonce = response.header('dpop-nonce');
    // New is what this request has not shown; another one may have learned it before.
    this.#hasNew = nonce !== undefined && nonce !== this.#shown;
    if (nonce !== undefined) this.#holder.nonce = nonce;
  }

  /** Whether the server refused the request only because it wants a nonce that is there now. */
  isWorthATry({ error }: Demand): boolean {
    return error === 'use_dpop_nonce' && this.#hasNew && this.#tries++ < MAX_TRIES;
  }
}

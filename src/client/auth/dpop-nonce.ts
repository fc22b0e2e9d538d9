import type { HttpResponse } from '../http/send.js';
import type { Demand } from './www-authenticate.js';

/** How often one request is repeated because the server wants another nonce in its proof. */
const MAX_TRIES = 3;

/** The latest nonce of a server for proofs; all requests share it. */
export interface NonceHolder {
  nonce: string | undefined;
}

/**
 * The nonces that one request has used, and whether the server wants another.
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

  /** The nonce for the next proof. */
  show(): string | undefined {
    this.#shown = this.#holder.nonce;
    return this.#shown;
  }

  /** Reads the nonce of a response. */
  heard(response: Pick<HttpResponse, 'header'>): void {
    const nonce = response.header('dpop-nonce');
    // Compared with the nonce of this request: another request may have received the new one before.
    this.#hasNew = nonce !== undefined && nonce !== this.#shown;
    if (nonce !== undefined) this.#holder.nonce = nonce;
  }

  /** Whether the server refused the request only for lack of a nonce, which is known now. */
  isWorthATry({ error }: Demand): boolean {
    return error === 'use_dpop_nonce' && this.#hasNew && this.#tries++ < MAX_TRIES;
  }
}

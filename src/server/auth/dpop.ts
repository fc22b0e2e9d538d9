import { calculateJwkThumbprint, EmbeddedJWK, type JWTVerifyResult, jwtVerify } from 'jose';
import { encodeBase64Url } from '../../base/base64url.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { parseUrl } from '../../base/url.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { MAX_PROOF_ID_LENGTH } from '../limits.js';
import { createMemorySingleUse } from '../single-use.js';
import { createNonces } from './nonces.js';

/** Options for tokens that only the holder of a key can use. */
export interface DpopOptions {
  /** Refuses bearer tokens. */
  required?: boolean | undefined;
  /**
   * A secret of at least 32 bytes that all nodes share. If it is set, proofs need a nonce of this server, so that no
   * proof can be made in advance.
   */
  nonceKey?: string | Uint8Array | undefined;
  /** How many milliseconds old a proof may be; 60,000 by default. */
  maxAgeMs?: number | undefined;
  /** Remembers which proofs were used; in this process if not set. */
  singleUse?: SingleUse | undefined;
}

const DPOP_OPTIONS: OptionNames<DpopOptions> = { required: 1, nonceKey: 1, maxAgeMs: 1, singleUse: 1 };

/** A proof does not show that the caller holds the key. */
export class InvalidProof extends Error {
  override readonly name = 'InvalidProof';
  /** The nonce that the next proof must contain, if this one had a wrong nonce or none. */
  readonly nonce: string | undefined;

  constructor(message: string, nonce?: string, options?: ErrorOptions) {
    super(message, options);
    this.nonce = nonce;
  }
}

/** A proof, and the token and request that it has to match. */
export interface Proven {
  proof: string;
  token: string;
  /** The thumbprint of the key that the token is bound to. */
  thumbprint: string;
  method: string;
  url: string;
}

export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'RS256', 'EdDSA', 'Ed25519'];
const SKEW_MS = 5000;

/**
 * Creates the check of proofs. The check throws `InvalidProof`.
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.3
 */
export function createProofCheck(options: DpopOptions): (proven: Proven) => Promise<void> {
  checkOptions(options, DPOP_OPTIONS, 'dpop');
  const { maxAgeMs = 60_000, singleUse = createMemorySingleUse() } = options;
  const nonces = options.nonceKey === undefined ? undefined : createNonces(options.nonceKey);

  return async ({ proof, token, thumbprint, method, url }) => {
    const { payload, protectedHeader } = await openProof(proof);
    const { jti, htm, htu, iat, ath, nonce } = payload;
    if ((await calculateJwkThumbprint(protectedHeader.jwk as object)) !== thumbprint) {
      throw new InvalidProof('the proof is made with another key than the token is bound to');
    }
    if (htm !== method) throw new InvalidProof('the proof is for another method');
    if (typeof htu !== 'string' || withoutQuery(htu) !== url)
      throw new InvalidProof('the proof is for another URL');
    if (ath !== (await hashOf(token))) throw new InvalidProof('the proof is for another token');
    const age = Date.now() - (iat ?? Number.NaN) * 1000;
    if (!(age <= maxAgeMs + SKEW_MS && age >= -SKEW_MS)) {
      throw new InvalidProof('the proof is too old, or from the future');
    }
    if (nonces && !(await nonces.isGood(nonce))) {
      throw new InvalidProof('the proof needs a nonce of this server', await nonces.current());
    }
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_PROOF_ID_LENGTH) {
      throw new InvalidProof('the proof needs a jti');
    }
    const expiresAt = Date.now() + maxAgeMs + 2 * SKEW_MS;
    if (!(await singleUse.redeem(`dpop ${thumbprint} ${jti}`, expiresAt))) {
      throw new InvalidProof('the proof was used before');
    }
  };
}

function openProof(proof: string): Promise<JWTVerifyResult> {
  return jwtVerify(proof, EmbeddedJWK, { typ: 'dpop+jwt', algorithms: PROOF_ALGORITHMS }).catch(cause => {
    throw new InvalidProof('the proof is not a valid DPoP proof', undefined, { cause });
  });
}

function withoutQuery(uri: string): string | undefined {
  const url = parseUrl(uri);
  return url && url.origin + url.pathname;
}

async function hashOf(token: string): Promise<string> {
  return encodeBase64Url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))),
  );
}

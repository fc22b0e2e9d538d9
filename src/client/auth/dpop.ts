import { base64url, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, SignJWT } from 'jose';
import type { CryptoKeyPair } from 'oauth4webapi';

const ALGORITHM = 'ES256';

/** A key that tokens are bound to, in a form that can be stored. */
export type StoredKey = Readonly<Record<string, unknown>>;

/** Proves that the sender of a token also has its private key. */
export class ProofKey {
  readonly pair: CryptoKeyPair;
  readonly thumbprint: string;
  readonly #publicJwk: object;

  private constructor(pair: CryptoKeyPair, publicJwk: object, thumbprint: string) {
    this.pair = pair;
    this.thumbprint = thumbprint;
    this.#publicJwk = publicJwk;
  }

  static async generate(): Promise<{ key: ProofKey; stored: StoredKey }> {
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const stored = { ...(await exportJWK(privateKey)) };
    return { key: await ProofKey.load(stored), stored };
  }

  static async load(stored: StoredKey): Promise<ProofKey> {
    const { d: _, ...publicJwk } = stored;
    const [privateKey, publicKey] = await Promise.all([
      importJWK(stored, ALGORITHM),
      importJWK(publicJwk, ALGORITHM, { extractable: true }),
    ]);
    const pair = { privateKey, publicKey } as CryptoKeyPair;
    return new ProofKey(pair, publicJwk, await calculateJwkThumbprint(publicJwk));
  }

  /**
   * The proof for one request with a token.
   * @see https://www.rfc-editor.org/rfc/rfc9449#section-4.2
   */
  async prove(
    request: { method: string; url: string },
    accessToken: string,
    nonce: string | undefined,
  ): Promise<string> {
    const { origin, pathname } = new URL(request.url);
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken));
    return new SignJWT({
      jti: crypto.randomUUID(),
      htm: request.method,
      htu: origin + pathname,
      ath: base64url.encode(new Uint8Array(digest)),
      ...(nonce !== undefined && { nonce }),
    })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'dpop+jwt', jwk: this.#publicJwk })
      .setIssuedAt()
      .sign(this.pair.privateKey);
  }
}

/** Whether an authorization server accepts the algorithm of these proofs. */
export function supportsProofs(algorithms: readonly string[] | undefined): boolean {
  return algorithms?.includes(ALGORITHM) ?? false;
}

import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { isObject } from '../../base/json.js';
import { VerifierUnavailable } from './verifier.js';

/** How long an authorization server may take to send its metadata or its keys. */
export const KEYS_TIMEOUT_MS = 5000;

/** The public keys of an issuer, fetched when they are needed and kept for a while. */
export function createIssuerKeys(issuer: string, jwksUri: string | undefined): JWTVerifyGetKey {
  let keys = jwksUri === undefined ? undefined : Promise.resolve(openSet(jwksUri));
  return async (header, token) => {
    keys ??= discoverKeysUri(issuer)
      .then(openSet)
      .catch(problem => {
        keys = undefined;
        throw problem;
      });
    return (await keys)(header, token);
  };
}

function openSet(uri: string): JWTVerifyGetKey {
  return createRemoteJWKSet(new URL(uri), { timeoutDuration: KEYS_TIMEOUT_MS });
}

/**
 * Finds the URL of the keys in the metadata of an issuer.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery
 */
async function discoverKeysUri(issuer: string): Promise<string> {
  const problems: string[] = [];
  for (const url of metadataUrls(issuer)) {
    try {
      const metadata = await fetchJson(url);
      if (metadata.issuer !== issuer) throw new VerifierUnavailable(`it is about ${String(metadata.issuer)}`);
      if (typeof metadata.jwks_uri !== 'string') throw new VerifierUnavailable('it has no jwks_uri');
      return metadata.jwks_uri;
    } catch (problem) {
      problems.push(`${url}: ${(problem as Error).message}`);
    }
  }
  throw new VerifierUnavailable(`the keys of ${issuer} were not found; set jwksUri. ${problems.join('; ')}`);
}

function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = ['oauth-authorization-server', 'openid-configuration'].map(
    name => `${origin}/.well-known/${name}${path}`,
  );
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(KEYS_TIMEOUT_MS),
  });
  if (response.status !== 200) throw new VerifierUnavailable(`status ${response.status}`);
  const body: unknown = await response.json();
  if (!isObject(body)) throw new VerifierUnavailable('not a JSON object');
  return body;
}

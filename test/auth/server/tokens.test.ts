import { request } from 'node:http';
import { exportSPKI, generateKeyPair, importJWK } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LegacyClient } from '../../http/legacy-client.js';
import { ModernClient } from '../../http/modern-client.js';
import { type AuthorizationServer, signJwt, startAuthorizationServer } from '../authorization-server.js';
import { bearer, FIRST_REQUESTS, serveProtected } from './protected.js';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

describe('a token of a real authorization server', () => {
  // covers: 2025-06-18/authorization/http-conforms
  it.each(FIRST_REQUESTS)('is accepted, %s', async (_, send) => {
    const { url } = await serveProtected(issuer);
    const response = await send(url, bearer(await issuer.token(url)));
    expect(response.status).toBe(200);
  });

  it('tells handlers who calls', async () => {
    const { url } = await serveProtected(issuer);
    const token = await issuer.token(url, { scope: 'files:read mcp' });
    const { result } = await new ModernClient(url, bearer(token)).call('whoami');
    const auth = JSON.parse(result.content[0].text);
    expect(auth).toMatchObject({ subject: 'worker', clientId: 'worker', scopes: ['files:read', 'mcp'] });
    expect(auth.principal).toBe(JSON.stringify([issuer.issuer, 'worker', 'worker']));
    expect(auth.expiresAt).toBe(auth.claims.exp * 1000);
    expect(auth.claims.aud).toBe(url);
  });

  it.each(['bearer', 'BEARER', 'Bearer'])('may come with the scheme written %s', async scheme => {
    const { url } = await serveProtected(issuer);
    const token = await issuer.token(url);
    const response = await FIRST_REQUESTS[1][1](url, { authorization: `${scheme} ${token}` });
    expect(response.status).toBe(200);
  });

  // covers: 2025-06-18/authorization/invalid-token-gets-401
  // covers: 2026-07-28/authorization/invalid-token-is-401
  it('is refused once it has expired, also when it was accepted before', async () => {
    const { url, challenge } = await serveProtected(issuer, undefined, { jwt: { clockSkewMs: 0 } });
    const client = new ModernClient(url, bearer(await issuer.token(url, { client: 'brief' })));
    expect((await client.call('whoami')).status).toBe(200);
    await new Promise(resolve => setTimeout(resolve, 4000));
    const late = await client.call('whoami');
    expect(late.status).toBe(401);
    expect(late.headers.get('www-authenticate')).toBe(
      challenge('error="invalid_token"', 'error_description="the token has expired"'),
    );
  });

  it('is verified once for many requests', async () => {
    const { url } = await serveProtected(issuer);
    const client = new ModernClient(url, bearer(await issuer.token(url)));
    const before = issuer.keyFetches;
    await Promise.all(Array.from({ length: 50 }, () => client.call('whoami')));
    expect(issuer.keyFetches - before).toBe(1);
  });
});

/** Claims and headers with one thing wrong; `says` is the description that the client gets. */
interface Attack {
  what: string;
  claims?: object;
  header?: Record<string, unknown>;
  says: string;
}

const now = Math.floor(Date.now() / 1000);
const ATTACKS: Attack[] = [
  {
    what: 'of another issuer',
    claims: { iss: 'https://evil.example' },
    says: 'the claim iss of the token is not accepted',
  },
  { what: 'without an issuer', claims: { iss: undefined }, says: 'the claim iss of the token is missing' },
  {
    what: 'for another server',
    claims: { aud: 'https://other.example/mcp' },
    says: 'the token is for another audience',
  },
  {
    what: 'for several other servers',
    claims: { aud: ['https://a.example', 'b'] },
    says: 'the token is for another audience',
  },
  { what: 'for nobody', claims: { aud: undefined }, says: 'the claim aud of the token is missing' },
  { what: 'with an empty list of audiences', claims: { aud: [] }, says: 'the token is for another audience' },
  {
    what: 'for a server whose URL only begins alike',
    claims: { aud: 'SELF/admin' },
    says: 'the token is for another audience',
  },
  {
    what: 'for the host, but not the path',
    claims: { aud: 'ORIGIN' },
    says: 'the token is for another audience',
  },
  { what: 'that expired long ago', claims: { exp: now - 3600 }, says: 'the token has expired' },
  { what: 'that expired beyond the clock skew', claims: { exp: now - 60 }, says: 'the token has expired' },
  { what: 'that never expires', claims: { exp: undefined }, says: 'the claim exp of the token is missing' },
  {
    what: 'whose expiry is a text',
    claims: { exp: 'tomorrow' },
    says: 'the claim exp of the token is not accepted',
  },
  {
    what: 'that is not valid yet',
    claims: { nbf: now + 3600 },
    says: 'the claim nbf of the token is not accepted',
  },
  {
    what: 'that names nobody',
    claims: { sub: undefined, client_id: undefined },
    says: 'the token names neither a subject nor a client',
  },
  { what: 'that is an ID token', header: { typ: 'JWT' }, says: 'the token is of type JWT, not at+jwt' },
  { what: 'without a type', header: { typ: undefined }, says: 'the token is of type (none), not at+jwt' },
  {
    what: 'that is a logout token',
    header: { typ: 'logout+jwt' },
    says: 'the token is of type logout+jwt, not at+jwt',
  },
  {
    what: 'with an unknown key id',
    header: { kid: 'unknown' },
    says: 'the token is signed with an unknown key',
  },
  {
    what: 'with the id of another key',
    header: { kid: 'second' },
    says: 'the signature of the token is wrong',
  },
  {
    what: 'without a key id, where there are several',
    header: { kid: undefined },
    says: 'the token does not say which key it is signed with',
  },
  {
    what: 'that is bound to a DPoP key',
    claims: { cnf: { jkt: 'x' } },
    says: 'the token is bound to a key, so it cannot be used as a bearer token',
  },
  {
    what: 'that is bound to a certificate',
    claims: { cnf: { 'x5t#S256': 'x' } },
    says: 'the token is bound to a key, so it cannot be used as a bearer token',
  },
];

describe('a token that is signed correctly', () => {
  it('is accepted if nothing is wrong with it', async () => {
    const { url } = await serveProtected(issuer);
    for (const [, send] of FIRST_REQUESTS) {
      expect((await send(url, bearer(await issuer.sign(issuer.claims(url))))).status).toBe(200);
    }
  });

  // covers: 2025-06-18/authorization/uppercase-is-accepted
  // covers: 2026-07-28/authorization/uppercase-is-accepted
  it.each([
    ['in a list of audiences', (url: string) => ({ aud: ['https://other.example', url] })],
    ['with a slash at the end', (url: string) => ({ aud: `${url}/` })],
    ['in upper case', (url: string) => ({ aud: url.replace('http', 'HTTP') })],
    ['and expired within the clock skew', () => ({ exp: Math.floor(Date.now() / 1000) - 2 })],
  ])('is accepted with this server %s', async (_, changes) => {
    const { url } = await serveProtected(issuer);
    const token = await issuer.sign(issuer.claims(url, changes(url)));
    expect((await FIRST_REQUESTS[0][1](url, bearer(token))).status).toBe(200);
  });

  it.each([
    ['Entra and Keycloak', { typ: 'JWT' }, { client_id: undefined, azp: 'kitchen', scp: 'mcp' }],
    ['Okta', { typ: undefined }, { client_id: undefined, cid: 'kitchen', scp: ['mcp'] }],
  ])('is accepted in the form of %s if the type JWT is', async (_, header, claims) => {
    const { url } = await serveProtected(issuer, undefined, { jwt: { types: ['JWT'] } });
    const token = await issuer.sign(issuer.claims(url, claims), header as { typ: string });
    const { result } = await new ModernClient(url, bearer(token)).call('whoami');
    expect(JSON.parse(result.content[0].text)).toMatchObject({ clientId: 'kitchen', scopes: ['mcp'] });
  });

  // covers: 2025-06-18/authorization/server-validates-tokens
  // covers: 2025-06-18/authorization/server-validates-the-audience
  // covers: 2025-06-18/authorization/server-accepts-no-other-tokens
  // covers: 2025-06-18/authorization/failed-validation-is-answered
  // covers: 2025-06-18/authorization/invalid-token-gets-401
  // covers: 2025-06-18/authorization/server-rejects-tokens-for-others, 2025-06-18/authorization/status-codes
  // covers: 2025-06-18/security/no-foreign-tokens
  // covers: 2025-11-25/authorization/only-tokens-for-this-server
  // covers: 2026-07-28/authorization-security/only-intended-tokens
  // covers: 2026-07-28/authorization-security/tokens-are-for-this-server
  // covers: 2026-07-28/authorization-security/tokens-as-oauth-2-1-demands
  // covers: 2026-07-28/authorization-security/wrong-audience-is-rejected
  // covers: 2026-07-28/authorization/audience-is-validated, 2026-07-28/authorization/invalid-token-is-401
  // covers: 2026-07-28/authorization/no-other-tokens, 2026-07-28/authorization/only-tokens-for-this-server
  // covers: 2026-07-28/authorization/tokens-are-validated
  it.each(ATTACKS)('is refused: $what', async ({ claims = {}, header = {}, says }) => {
    const { url, challenge } = await serveProtected(issuer);
    const bad = issuer.claims(url, claims);
    if (typeof bad.aud === 'string')
      bad.aud = bad.aud.replace('SELF', url).replace('ORIGIN', new URL(url).origin);
    const token = await issuer.sign(bad, header);
    for (const [, send] of FIRST_REQUESTS) {
      const response = await send(url, bearer(token));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(
        challenge('error="invalid_token"', `error_description="${says}"`),
      );
    }
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Tokens whose signature is the trick. */
const FORGERIES: [string, (claims: object, good: string) => Promise<string> | string, string][] = [
  [
    'alg none without a signature',
    claims => `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims)}.`,
    'the algorithm of the token is not accepted',
  ],
  [
    'alg None in other letters',
    claims => `${encode({ alg: 'nOnE', typ: 'at+jwt', kid: 'first' })}.${encode(claims)}.`,
    'the algorithm of the token is not accepted',
  ],
  [
    'no alg',
    claims => `${encode({ typ: 'at+jwt', kid: 'first' })}.${encode(claims)}.AAAA`,
    'the token is not a valid JWT',
  ],
  [
    'HS256 with the public key as secret',
    async claims => {
      const pem = await exportSPKI(
        (await importJWK(issuer.publicKey, 'RS256', { extractable: true })) as never,
      );
      return signJwt(new TextEncoder().encode(pem), claims, { alg: 'HS256', kid: 'first', typ: 'at+jwt' });
    },
    'the algorithm of the token is not accepted',
  ],
  [
    'HS256 with the modulus of the public key as secret',
    claims =>
      signJwt(Buffer.from(issuer.publicKey.n as string, 'base64url'), claims, {
        alg: 'HS256',
        kid: 'first',
        typ: 'at+jwt',
      }),
    'the algorithm of the token is not accepted',
  ],
  [
    'the key of somebody else',
    async claims => {
      const { privateKey } = await generateKeyPair('RS256');
      return signJwt(privateKey, claims, { alg: 'RS256', kid: 'first', typ: 'at+jwt' });
    },
    'the signature of the token is wrong',
  ],
  [
    'a key that it brings along',
    async claims => {
      const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
      const jwk = await crypto.subtle.exportKey('jwk', publicKey);
      return signJwt(privateKey, claims, { alg: 'RS256', kid: 'first', typ: 'at+jwt', jwk: jwk as never });
    },
    'the signature of the token is wrong',
  ],
  [
    'a link to its key',
    async claims => {
      const { privateKey } = await generateKeyPair('RS256');
      const header = { alg: 'RS256', kid: 'evil', typ: 'at+jwt', jku: 'https://evil.example/jwks' };
      return signJwt(privateKey, claims, header);
    },
    'the token is signed with an unknown key',
  ],
  [
    'claims changed after signing',
    (claims, good) => {
      const [header, , signature] = good.split('.');
      return [header, encode({ ...claims, sub: 'root' }), signature].join('.');
    },
    'the signature of the token is wrong',
  ],
  [
    'an unknown critical header',
    claims =>
      `${encode({ alg: 'RS256', kid: 'first', typ: 'at+jwt', crit: ['x'], x: 1 })}.${encode(claims)}.AAAA`,
    'the token is not a valid JWT',
  ],
  [
    'its signature cut off',
    (_, good) => good.slice(0, good.lastIndexOf('.') + 1),
    'the signature of the token is wrong',
  ],
  ['its end cut off', (_, good) => good.slice(0, -20), 'the signature of the token is wrong'],
  ['only two parts', (_, good) => good.split('.').slice(0, 2).join('.'), 'the token is not a valid JWT'],
  ['five parts', (_, good) => `${good}.a.b`, 'the token is not a valid JWT'],
  ['garbage', () => 'garbage', 'the token is not a valid JWT'],
  ['dots', () => '..', 'the token is not a valid JWT'],
  [
    'a header that is not JSON',
    (_, good) => `AAAA.${good.split('.').slice(1).join('.')}`,
    'the token is not a valid JWT',
  ],
  ['ten thousand letters', () => 'a'.repeat(10_000), 'the token is not a valid JWT'],
  ['ten thousand dots', () => '.'.repeat(10_000), 'the token is not a valid JWT'],
];

describe('a forged token', () => {
  // covers: 2025-06-18/authorization/server-validates-tokens
  // covers: 2025-06-18/authorization/oauth-security-practices
  it.each(FORGERIES)('is refused: %s', async (_, forge, says) => {
    const { url, challenge } = await serveProtected(issuer);
    const claims = issuer.claims(url);
    const good = await issuer.sign(claims);
    const token = await forge(claims, good);
    for (const [, send] of FIRST_REQUESTS) {
      const response = await send(url, bearer(token));
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(
        challenge('error="invalid_token"', `error_description="${says}"`),
      );
      expect((await send(url, bearer(good))).status).toBe(200);
    }
  });
});

describe('a request without a token', () => {
  // covers: 2025-06-18/authorization/401-leads-to-the-metadata, 2025-06-18/authorization/status-codes
  // covers: 2025-06-18/security/inbound-requests-are-verified, 2025-03-26/authorization/unauthorized-gets-401
  // covers: 2025-11-25/authorization/server-tells-where-metadata-is
  // covers: 2026-07-28/authorization-server-discovery/server-tells-where-metadata-is
  // covers: 2026-07-28/authorization/failures-follow-oauth-2-1, 2026-07-28/authorization/status-codes
  // covers: 2026-07-28/streamable-http/servers-authenticate
  it.each(FIRST_REQUESTS)('is told where to get one, %s', async (_, send) => {
    const { url, challenge } = await serveProtected(issuer);
    const response = await send(url, {});
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(challenge());
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { message: 'this server needs an access token' },
    });
  });

  // covers: 2025-11-25/authorization/challenge-has-scopes, 2026-07-28/authorization/challenge-has-scopes
  it('is told which scopes it takes', async () => {
    const { url, challenge } = await serveProtected(issuer, undefined, { scopes: ['mcp', 'files:read'] });
    const response = await FIRST_REQUESTS[0][1](url, {});
    expect(response.headers.get('www-authenticate')).toBe(`${challenge()}, scope="mcp files:read"`);
  });

  it.each(['Basic d29ya2VyOnNlY3JldA==', 'DPoP abc', 'Token abc', 'Bearertoken', ''])(
    'is told so without an error if it has %j',
    async authorization => {
      const { url, challenge } = await serveProtected(issuer);
      const response = await FIRST_REQUESTS[1][1](url, { authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe(challenge());
    },
  );

  // covers: 2025-06-18/security/inbound-requests-are-verified
  it.each(['GET', 'DELETE', 'PUT'])('is refused for %s, too', async method => {
    const { url, challenge } = await serveProtected(issuer);
    const response = await fetch(url, { method, headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(challenge());
  });

  // covers: 2024-11-05/transports/sse-connections-are-authenticated
  it('is refused on the endpoints of the old transport', async () => {
    const { sseUrl } = await serveProtected(issuer, undefined, { listen: { sse: true } });
    expect((await fetch(sseUrl as string)).status).toBe(401);
  });
});

describe('a request with a token in the wrong way', () => {
  const malformed = (challenge: (...parameters: string[]) => string, says: string) =>
    challenge('error="invalid_request"', `error_description="${says}"`);

  // covers: 2025-06-18/authorization/status-codes, 2025-06-18/authorization/token-use-follows-oauth-2-1
  // covers: 2026-07-28/authorization/status-codes
  it.each([
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Bearer a, Bearer b',
    'Bearer "abc"',
    'Bearer a=b',
    'Bearer ä',
  ])('is malformed: %j', async authorization => {
    const { url, challenge } = await serveProtected(issuer);
    const response = await FIRST_REQUESTS[1][1](url, { authorization });
    expect(response.status).toBe(400);
    expect(response.headers.get('www-authenticate')).toBe(
      malformed(challenge, "the Authorization header must be 'Bearer' and one token"),
    );
  });

  // covers: 2025-06-18/authorization/token-use-follows-oauth-2-1
  // covers: 2026-07-28/authorization/tokens-follow-oauth-2-1
  it('is refused if the token is in the URL, also if there is a good one in the header', async () => {
    const { url, challenge } = await serveProtected(issuer);
    const token = await issuer.token(url);
    for (const headers of [{}, bearer(token)]) {
      const response = await FIRST_REQUESTS[1][1](`${url}?access_token=${token}`, headers);
      expect(response.status).toBe(400);
      expect(response.headers.get('www-authenticate')).toBe(
        malformed(challenge, 'send the token in the Authorization header, never in the URL'),
      );
    }
  });

  it('is refused if it has two Authorization headers, also if the first is good', async () => {
    const { url, challenge } = await serveProtected(issuer);
    const token = await issuer.token(url);
    const response = await new Promise<{ status: number | undefined; challenge: string | undefined }>(
      (resolve, reject) => {
        const sent = request(url, { method: 'POST' }, incoming => {
          incoming.resume();
          resolve({ status: incoming.statusCode, challenge: incoming.headers['www-authenticate'] });
        });
        sent.on('error', reject);
        sent.setHeader('authorization', [`Bearer ${token}`, 'Bearer other']);
        sent.end();
      },
    );
    expect(response).toEqual({
      status: 400,
      challenge: malformed(challenge, 'the Authorization header must not be repeated'),
    });
  });
});

describe('what a caller owns', () => {
  // covers: 2025-06-18/security/session-ids-are-bound-to-users
  it('is not found by others', async () => {
    const { url } = await serveProtected(issuer);
    const mine = await LegacyClient.open(url, { headers: bearer(await issuer.token(url)) });
    const theirs = new LegacyClient(url, mine, bearer(await issuer.token(url, { client: 'other' })));
    expect((await mine.call('whoami')).status).toBe(200);
    expect((await theirs.call('whoami')).status).toBe(404);
    expect((await theirs.delete()).status).toBe(404);
    // Another token of the same caller is as good.
    const later = new LegacyClient(url, mine, bearer(await issuer.token(url, { scope: 'mcp' })));
    expect((await later.call('whoami')).status).toBe(200);
  });

  // covers: 2025-11-25/elicitation/user-comes-from-authorization
  // covers: 2026-07-28/elicitation/user-comes-from-authorization
  it('is kept apart by issuer, subject and client', async () => {
    const { url } = await serveProtected(issuer);
    const principals = await Promise.all(
      [{}, { sub: 'bob' }, { client_id: 'other' }, { sub: 'alice","worker' }].map(async changes => {
        const token = await issuer.sign(issuer.claims(url, changes));
        const { result } = await new ModernClient(url, bearer(token)).call('whoami');
        return JSON.parse(result.content[0].text).principal;
      }),
    );
    expect(new Set(principals).size).toBe(4);
  });
});

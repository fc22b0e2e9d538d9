import { createHash } from 'node:crypto';
import {
  Client,
  DpopSession,
  generateDpopKeyPair,
  StreamableHTTPClientTransport,
  withDpop,
} from '@modelcontextprotocol/client';
import { exportJWK, generateKeyPair, type JWTHeaderParameters } from 'jose';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { DpopOptions } from '../../../src/server/auth/index.js';
import { ModernClient } from '../../http/modern-client.js';
import { type AuthorizationServer, signJwt, startAuthorizationServer } from '../authorization-server.js';
import { bearer, FIRST_REQUESTS, serveProtected } from './protected.js';

const ALGS = 'algs="ES256 ES384 ES512 PS256 RS256 EdDSA Ed25519"';
let issuer: AuthorizationServer;
let mine: Prover;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
  mine = await createProver();
});

afterAll(() => issuer.close());

type Prover = (claims: object, header?: Partial<JWTHeaderParameters>) => Promise<string>;

/** Makes proofs with a key of its own. */
async function createProver(): Promise<Prover> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return (claims, header = {}) =>
    signJwt(
      privateKey,
      { jti: crypto.randomUUID(), iat: Math.floor(Date.now() / 1000), ...claims },
      { alg: 'ES256', typ: 'dpop+jwt', jwk, ...header },
    );
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

async function serve(dpop: DpopOptions = {}) {
  const guarded = await serveProtected(issuer, undefined, { dpop });
  const token = await issuer.token(guarded.url, { prove: mine });
  const { origin } = new URL(guarded.url);
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  return {
    ...guarded,
    token,
    claims: { htm: 'POST', htu: guarded.url, ath: hashOf(token) },
    metadata,
    refusal: (error: string, says: string) =>
      `DPoP error="${error}", error_description="${says}", ${metadata}, ${ALGS}${dpop.required ? '' : ', Bearer'}`,
  };
}

function proven(token: string, proof: string) {
  return { authorization: `DPoP ${token}`, dpop: proof };
}

describe('a token that is bound to a key', () => {
  it.each(FIRST_REQUESTS)('is accepted with a proof of the key, %s', async (_, send) => {
    const { url, token, claims } = await serve();
    expect((await send(url, proven(token, await mine(claims)))).status).toBe(200);
    const query = { ...claims, htu: `${url}?x=1#y` };
    expect((await send(url, proven(token, await mine(query)))).status).toBe(200);
  });

  it('is refused without one', async () => {
    const { url, token, challenge } = await serve();
    const says = 'the token is bound to a key, so it cannot be used as a bearer token';
    const response = await FIRST_REQUESTS[1][1](url, bearer(token));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `${challenge('error="invalid_token"', `error_description="${says}"`)}, DPoP ${ALGS}`,
    );
  });

  it('is refused with the scheme but without a proof', async () => {
    const { url, token, refusal } = await serve();
    const response = await FIRST_REQUESTS[1][1](url, { authorization: `DPoP ${token}` });
    expect(response.status).toBe(400);
    expect(response.headers.get('www-authenticate')).toBe(
      refusal('invalid_request', 'a token with the scheme DPoP needs one DPoP header'),
    );
  });

  it('cannot be replaced by one that is not bound', async () => {
    const { url, claims, refusal } = await serve();
    const token = await issuer.token(url);
    const proof = await mine({ ...claims, ath: hashOf(token) });
    const response = await FIRST_REQUESTS[1][1](url, proven(token, proof));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      refusal('invalid_token', 'the token is not bound to a key'),
    );
  });

  it('is not accepted where proofs are not checked', async () => {
    const { url, challenge } = await serveProtected(issuer);
    const token = await issuer.token(url, { prove: mine });
    const proof = await mine({ htm: 'POST', htu: url, ath: hashOf(token) });
    const response = await FIRST_REQUESTS[1][1](url, proven(token, proof));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(challenge());
  });
});

const now = () => Math.floor(Date.now() / 1000);
const PROOFS: [string, (claims: object, url: string) => Promise<string> | string, string][] = [
  ['nothing', () => 'x', 'the proof is not a valid DPoP proof'],
  [
    'two proofs in one',
    async claims => `${await mine(claims)}, ${await mine(claims)}`,
    'the proof is not a valid DPoP proof',
  ],
  [
    'another key',
    async claims => (await createProver())(claims),
    'the proof is made with another key than the token is bound to',
  ],
  ['another method', claims => mine({ ...claims, htm: 'GET' }), 'the proof is for another method'],
  ['no method', claims => mine({ ...claims, htm: undefined }), 'the proof is for another method'],
  ['a method in lower case', claims => mine({ ...claims, htm: 'post' }), 'the proof is for another method'],
  [
    'another server',
    claims => mine({ ...claims, htu: 'https://other.example/mcp' }),
    'the proof is for another URL',
  ],
  ['another path', (claims, url) => mine({ ...claims, htu: `${url}/x` }), 'the proof is for another URL'],
  ['no URL', claims => mine({ ...claims, htu: undefined }), 'the proof is for another URL'],
  ['something that is no URL', claims => mine({ ...claims, htu: '/mcp' }), 'the proof is for another URL'],
  ['another token', claims => mine({ ...claims, ath: hashOf('other') }), 'the proof is for another token'],
  ['no token', claims => mine({ ...claims, ath: undefined }), 'the proof is for another token'],
  [
    'an old proof',
    claims => mine({ ...claims, iat: now() - 100 }),
    'the proof is too old, or from the future',
  ],
  [
    'a proof of the future',
    claims => mine({ ...claims, iat: now() + 100 }),
    'the proof is too old, or from the future',
  ],
  ['no time', claims => mine({ ...claims, iat: undefined }), 'the proof is too old, or from the future'],
  ['no id', claims => mine({ ...claims, jti: undefined }), 'the proof needs a jti'],
  ['a long id', claims => mine({ ...claims, jti: 'x'.repeat(1000) }), 'the proof needs a jti'],
  ['another type', claims => mine(claims, { typ: 'JWT' }), 'the proof is not a valid DPoP proof'],
  ['no key', claims => mine(claims, { jwk: undefined as never }), 'the proof is not a valid DPoP proof'],
  [
    'a private key in it',
    async claims => {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true });
      const jwk = await exportJWK(privateKey);
      return signJwt(privateKey, claims, { alg: 'ES256', typ: 'dpop+jwt', jwk: jwk as never });
    },
    'the proof is not a valid DPoP proof',
  ],
  [
    'a symmetric key',
    claims => {
      const secret = Buffer.alloc(32, 1);
      const jwk = { kty: 'oct', k: secret.toString('base64url') };
      return signJwt(secret, claims, { alg: 'HS256', typ: 'dpop+jwt', jwk: jwk as never });
    },
    'the proof is not a valid DPoP proof',
  ],
  [
    'no signature',
    async claims => {
      const [, payload] = (await mine(claims)).split('.');
      return `${Buffer.from('{"alg":"none","typ":"dpop+jwt"}').toString('base64url')}.${payload}.`;
    },
    'the proof is not a valid DPoP proof',
  ],
];

describe('a proof', () => {
  it.each(PROOFS)('is refused: %s', async (_, forge, says) => {
    const { url, token, claims, refusal } = await serve();
    const send = FIRST_REQUESTS[1][1];
    const response = await send(url, proven(token, await forge(claims, url)));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(refusal('invalid_dpop_proof', says));
    expect((await send(url, proven(token, await mine(claims)))).status).toBe(200);
  });

  it('is good once', async () => {
    const { url, token, claims, refusal } = await serve();
    const proof = await mine(claims);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => FIRST_REQUESTS[1][1](url, proven(token, proof))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.find(({ status }) => status === 401);
    expect(refused?.headers.get('www-authenticate')).toBe(
      refusal('invalid_dpop_proof', 'the proof was used before'),
    );
  });

  it('needs a nonce where nonces are given out', async () => {
    const { url, token, claims, refusal } = await serve({ nonceKey: 'k'.repeat(32) });
    const send = FIRST_REQUESTS[1][1];
    for (const nonce of [undefined, 'made up', 1]) {
      const refused = await send(url, proven(token, await mine({ ...claims, nonce })));
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toBe(
        refusal('use_dpop_nonce', 'the proof needs a nonce of this server'),
      );
      const given = refused.headers.get('dpop-nonce');
      expect((await send(url, proven(token, await mine({ ...claims, nonce: given })))).status).toBe(200);
    }
  });
});

describe('a server that needs proofs', () => {
  it('says so, and accepts nothing else', async () => {
    const { url, metadata } = await serve({ required: true });
    const plain = await issuer.token(url);
    const response = await new ModernClient(url, bearer(plain)).request('tools/list');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(`DPoP ${metadata}, ${ALGS}`);
    const described = await fetch(new URL('/.well-known/oauth-protected-resource', url));
    const document = (await described.json()) as Record<string, unknown>;
    expect(document).toMatchObject({ dpop_bound_access_tokens_required: true });
    expect(document.dpop_signing_alg_values_supported).toContain('ES256');
  });

  it('has a key for its nonces that cannot be guessed', async () => {
    await expect(serve({ nonceKey: 'short' })).rejects.toThrow('nonceKey needs at least 32 bytes');
  });

  it.each([{}, { versionNegotiation: { mode: { pin: '2026-07-28' } } }])(
    'serves the official client: %j',
    async options => {
      const { url } = await serveProtected(issuer, undefined, {
        dpop: { required: true, nonceKey: 'k'.repeat(32) },
      });
      const keyPair = await generateDpopKeyPair();
      const session = await DpopSession.create({ keyPair });
      const prove: Prover = claims =>
        signJwt(
          keyPair.privateKey,
          { jti: crypto.randomUUID(), iat: now(), ...claims },
          { alg: 'ES256', typ: 'dpop+jwt', jwk: session.publicJwk },
        );
      const token = await issuer.token(url, { prove });
      const client = new Client({ name: 'official', version: '1.0.0' }, options as object);
      onTestFinished(() => client.close());
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        fetch: withDpop(session, () => token)(fetch),
      });
      await client.connect(transport);
      const { content } = await client.callTool({ name: 'whoami' });
      expect(JSON.parse((content as { text: string }[])[0]?.text as string)).toMatchObject({
        clientId: 'worker',
      });
    },
  );
});

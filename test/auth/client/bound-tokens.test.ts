import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { clientCredentials, signIn } from '../../../src/node/client/auth/index.js';
import { type IdentityProviderOptions, startIdentityProvider } from './identity-provider.js';
import { callAtOnce, open, passSeconds, REVISIONS, serveFiles, whoami } from './protected-files.js';
import { User } from './user.js';

const LIFETIME_SECONDS = 60;
/** Longer than any nonce is good for. */
const LONG_SECONDS = 3600;
const NONCE_KEY = 'a key of the server for its nonces, long enough';
const WORKER = {
  client_id: 'worker',
  client_secret: 'a-secret-of-the-worker-that-is-long-enough',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
};

const NONCES = [
  ['without nonces', { needsNonces: false }, {}],
  ['with nonces of the provider', { needsNonces: true }, {}],
  ['with nonces of the provider and of the server', { needsNonces: true }, { nonceKey: NONCE_KEY }],
] as const;

describe.each(REVISIONS)('a client that speaks %s', revision => {
  describe.each(NONCES)('binds its tokens to a key, %s', (_, ofProvider, ofServer) => {
    const start = async (options: IdentityProviderOptions = {}) => {
      const provider = await startIdentityProvider({ ...ofProvider, ...options });
      const url = await serveFiles(provider, { dpop: { required: true, ...ofServer } });
      return { provider, url };
    };

    it('because the server demands it, and keeps the key over a refresh', async () => {
      const { provider, url } = await start({ tokenSeconds: LIFETIME_SECONDS });
      const user = new User();
      const client = await open(url, { revision, auth: signIn({ redirect: user }) });
      const { claims } = await whoami(client);
      const { jkt } = claims!.cnf as { jkt: string };
      expect(user.visits[0]?.searchParams.get('dpop_jkt')).toBe(jkt);

      passSeconds(LIFETIME_SECONDS + 1);
      expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
      expect(decodeJwt(provider.latest.accessToken).cnf).toEqual({ jkt });
      const given = provider.requests('refresh_token').filter(({ status }) => status === 200);
      expect(given).toHaveLength(1);
      expect(user.visits).toHaveLength(1);
    });

    it('for a program', async () => {
      const { url } = await start({ clients: [WORKER] });
      const { client_id: id, client_secret: secret } = WORKER;
      const client = await open(url, { revision, auth: clientCredentials({ id, secret }) });
      expect(await whoami(client)).toMatchObject({
        clientId: 'worker',
        claims: { cnf: { jkt: expect.any(String) } },
      });
    });
  });

  it('binds its tokens to a key if its author wants that', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider, { dpop: {} });
    const auth = signIn({ redirect: new User(), dpop: true });
    const { claims } = await whoami(await open(url, { revision, auth }));
    expect(claims).toMatchObject({ cnf: { jkt: expect.any(String) } });
  });

  it('binds its tokens to nothing if nobody wants that', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider, { dpop: {} });
    const { claims } = await whoami(await open(url, { revision, auth: signIn({ redirect: new User() }) }));
    expect(claims).not.toHaveProperty('cnf');
  });

  it('needs no new tokens when many calls at once learn that the nonce of the server has changed', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: 2 * LONG_SECONDS });
    const url = await serveFiles(provider, { dpop: { required: true, nonceKey: NONCE_KEY } });
    const user = new User();
    const client = await open(url, { revision, auth: signIn({ redirect: user }) });
    await whoami(client);
    passSeconds(LONG_SECONDS);
    expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
    expect(provider.tokenRequests).toHaveLength(1);
    expect(user.visits).toHaveLength(1);
  });
});

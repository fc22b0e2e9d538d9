import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { clientCredentials } from '../../../src/node/client/auth/index.js';
import { startIdentityProvider } from './identity-provider.js';
import { call, callAtOnce, open, passSeconds, REVISIONS, serveFiles, whoami } from './protected-files.js';

const LIFETIME_SECONDS = 60;
/** With what has to be escaped on the way. */
const SECRET = 'a secret of the worker: 100% long enough, / + = & ~';
const METHODS = ['client_secret_basic', 'client_secret_post'] as const;

function worker(more: object) {
  return {
    client_id: 'worker',
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
    ...more,
  };
}

describe.each(REVISIONS)('a program that speaks %s', revision => {
  it.each(METHODS)('gets access with %s', async method => {
    const clients = [worker({ client_secret: SECRET, token_endpoint_auth_method: method })];
    const provider = await startIdentityProvider({ clients });
    const url = await serveFiles(provider);
    const auth = clientCredentials({ id: 'worker', secret: SECRET, method });
    const client = await open(url, { revision, auth });
    expect(await whoami(client)).toMatchObject({
      clientId: 'worker',
      scopes: ['mcp'],
      claims: { aud: url },
    });

    const [request] = provider.tokenRequests;
    const isInHeader = method === 'client_secret_basic';
    expect(request?.form.resource).toBe(url);
    expect(request?.form.client_secret).toBe(isInHeader ? undefined : SECRET);
    expect(request?.headers.authorization?.startsWith('Basic ') ?? false).toBe(isInHeader);
  });

  it.each(['PKCS #8', 'a JWK', 'a CryptoKey'])('gets access with a private key as %s', async form => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const given = {
      'PKCS #8': () => exportPKCS8(privateKey),
      'a JWK': () => exportJWK(privateKey),
      'a CryptoKey': () => privateKey,
    }[form]!;
    const provider = await startIdentityProvider({
      clients: [
        worker({
          token_endpoint_auth_method: 'private_key_jwt',
          token_endpoint_auth_signing_alg: 'ES256',
          jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', use: 'sig' }] },
        }),
      ],
    });
    const auth = clientCredentials({ id: 'worker', privateKey: await given() });
    const client = await open(await serveFiles(provider), { revision, auth });
    expect(await whoami(client)).toMatchObject({ clientId: 'worker' });
    expect(provider.tokenRequests).toMatchObject([
      { form: { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' } },
    ]);
  });

  it('gets one new token for 50 calls after each expiry', async () => {
    const clients = [worker({ client_secret: SECRET })];
    const provider = await startIdentityProvider({ clients, tokenSeconds: LIFETIME_SECONDS });
    const auth = clientCredentials({ id: 'worker', secret: SECRET });
    const client = await open(await serveFiles(provider), { revision, auth });
    await whoami(client);
    for (let expiries = 1; expiries <= 3; expiries++) {
      passSeconds(LIFETIME_SECONDS + 10);
      expect(await callAtOnce(client, 'whoami', 50)).toHaveLength(50);
      expect(provider.requests('client_credentials')).toHaveLength(1 + expiries);
    }
  });

  it('gets more scopes when a tool needs them, and keeps those it has', async () => {
    const provider = await startIdentityProvider({ clients: [worker({ client_secret: SECRET })] });
    const auth = clientCredentials({ id: 'worker', secret: SECRET, scopes: ['files:read'] });
    const client = await open(await serveFiles(provider), { revision, auth });
    expect(await callAtOnce(client, 'files_write', 10)).toEqual(Array(10).fill('did files:write'));
    expect(await call(client, 'mail')).toBe('did mail');
    const scopes = ['files:read', 'mcp', 'files:write', 'mail'];
    expect(new Set((await whoami(client)).scopes)).toEqual(new Set(scopes));
    expect(provider.tokenRequests).toHaveLength(3);
  });

  it('is told what the provider says about a wrong secret, without the secret', async () => {
    const provider = await startIdentityProvider({ clients: [worker({ client_secret: SECRET })] });
    const auth = clientCredentials({ id: 'worker', secret: 'not the right one' });
    const outcome = open(await serveFiles(provider), { revision, auth });
    await expect(outcome).rejects.toMatchObject({
      problem: 'denied',
      message: expect.stringContaining('invalid_client'),
    });
    await expect(outcome).rejects.not.toThrow(/not the right one/);
    expect(provider.tokenRequests).toHaveLength(1);
  });
});

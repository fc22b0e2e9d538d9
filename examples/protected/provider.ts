import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';

/** The program that may use the server without a user. A real secret comes from the environment. */
export const WORKER = { id: 'worker', secret: 'a secret of at least thirty-two bytes' };

/**
 * An identity provider on loopback. It stands for a hosted one: users sign in on its pages with any name, clients register
 * themselves, and access tokens are JWTs for the resource that the client names.
 */
export async function startProvider(): Promise<string> {
  const http = createServer().listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'key', alg: 'RS256', use: 'sig' };
  const provider = new Provider(issuer, {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: WORKER.id,
        client_secret: WORKER.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ['notes:read', 'notes:write'],
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          audience: resource,
          scope: 'notes:read notes:write',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  });
  http.on('request', provider.callback());
  return issuer;
}

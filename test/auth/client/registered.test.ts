import { once } from 'node:events';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signIn } from '../../../src/node/client/auth/index.js';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';
import { startIdentityProvider } from './identity-provider.js';
import { callAtOnce, open, passSeconds, REVISIONS, serveFiles, whoami } from './protected-files.js';
import { User } from './user.js';

const LIFETIME_SECONDS = 60;
const CALLBACK = 'http://127.0.0.1:9/callback';

describe.each(REVISIONS)('a user signs in with %s, at a provider that', revision => {
  // covers: 2025-11-25/authorization/registration-priority, 2025-11-25/authorization/static-credentials
  // covers: 2026-07-28/client-registration/priority, 2026-07-28/client-registration/static-credentials
  it('knows the client by its id and secret, which then does not register itself', async () => {
    const client = { id: 'filer', secret: 'a secret of the client: 100% long enough' };
    const provider = await startIdentityProvider({
      tokenSeconds: LIFETIME_SECONDS,
      clients: [
        {
          client_id: client.id,
          client_secret: client.secret,
          grant_types: ['authorization_code', 'refresh_token'],
          redirect_uris: [CALLBACK],
          application_type: 'native',
        },
      ],
    });
    const connected = await open(await serveFiles(provider), {
      revision,
      auth: signIn({ redirect: new User(), client }),
    });
    expect(await whoami(connected)).toMatchObject({ subject: 'alice', clientId: 'filer' });
    passSeconds(LIFETIME_SECONDS + 1);
    expect(await callAtOnce(connected, 'whoami', 20)).toHaveLength(20);
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);
    expect(provider.registrations).toEqual([]);
  });

  it('knows the public client by its id, which then does not register itself', async () => {
    const provider = await startIdentityProvider({
      clients: [
        {
          client_id: 'filer',
          token_endpoint_auth_method: 'none',
          redirect_uris: [CALLBACK],
          application_type: 'native',
        },
      ],
    });
    const auth = signIn({ redirect: new User(), client: { id: 'filer' } });
    expect(await whoami(await open(await serveFiles(provider), { revision, auth }))).toMatchObject({
      clientId: 'filer',
    });
    expect(provider.registrations).toEqual([]);
  });

  // covers: 2025-11-25/authorization/client-id-metadata-documents
  // covers: 2025-11-25/authorization/documents-follow-their-specification
  // covers: 2025-11-25/authorization/registration-priority
  // covers: 2026-07-28/authorization/client-id-metadata-documents
  // covers: 2026-07-28/client-registration/client-id-metadata-documents
  // covers: 2026-07-28/client-registration/documents-follow-their-specification
  // covers: 2026-07-28/client-registration/priority
  it('reads who the client is at the URL that is its id', async () => {
    const clientMetadataUrl = await serveClientDocument();
    const provider = await startIdentityProvider({ fetchDocument, tokenSeconds: LIFETIME_SECONDS });
    const auth = signIn({ redirect: new User(), clientMetadataUrl });
    const client = await open(await serveFiles(provider), { revision, auth });
    expect(await whoami(client)).toMatchObject({ subject: 'alice', clientId: clientMetadataUrl });
    passSeconds(LIFETIME_SECONDS + 1);
    expect(await whoami(client)).toMatchObject({ subject: 'alice', clientId: clientMetadataUrl });
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);
    expect(provider.registrations).toEqual([]);
  });

  // covers: 2025-11-25/authorization/client-checks-for-support
  // covers: 2026-07-28/client-registration/client-checks-for-support
  // covers: 2026-07-28/client-registration/priority
  it('does not read such URLs, where the client registers itself', async () => {
    const provider = await startIdentityProvider();
    const auth = signIn({ redirect: new User(), clientMetadataUrl: 'https://filer.example/client.json' });
    const { clientId } = await whoami(await open(await serveFiles(provider), { revision, auth }));
    expect(provider.registrations).toMatchObject([{ client_id: clientId }]);
  });

  // covers: 2025-06-18/authorization/client-supports-registration
  it.each(['none', 'client_secret_basic', 'client_secret_post'])(
    'registers the client with %s, and anew when it has forgotten the client',
    async method => {
      const provider = await startIdentityProvider({
        authMethods: [method, 'private_key_jwt'],
        tokenSeconds: LIFETIME_SECONDS,
      });
      const user = new User();
      const auth = signIn({ redirect: user });
      const client = await open(await serveFiles(provider), { revision, auth });
      expect(await whoami(client)).toMatchObject({ clientId: provider.registrations[0]?.client_id });
      expect(provider.registrations).toMatchObject([{ token_endpoint_auth_method: method }]);
      passSeconds(LIFETIME_SECONDS + 1);
      await callAtOnce(client, 'whoami', 20);
      expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);

      await provider.forgetClients();
      passSeconds(LIFETIME_SECONDS + 1);
      expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
      expect(await whoami(client)).toMatchObject({ clientId: provider.registrations[1]?.client_id });
      expect(provider.registrations).toHaveLength(2);
      expect(user.visits).toHaveLength(2);
    },
  );

  it('does not know the client, which may not register itself', async () => {
    const provider = await startIdentityProvider();
    const user = new User();
    const auth = signIn({ redirect: user, register: false });
    await expect(open(await serveFiles(provider), { revision, auth })).rejects.toMatchObject({
      problem: 'registration',
    });
    expect(user.visits).toEqual([]);
  });
});

/** Serves the document that describes a client, until the test is over. Resolves with its URL. */
async function serveClientDocument(): Promise<string> {
  const server = createServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        client_id: url,
        client_name: 'Filer',
        redirect_uris: [CALLBACK],
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

/** What the provider has in place of `fetch`, which knows neither the certificate nor this machine. */
async function fetchDocument(url: URL | string): Promise<Response> {
  const sent = request(url, { ca: CERTIFICATE, agent: false }).end();
  const [message] = await once(sent, 'response');
  return new Response(await text(message), { status: message.statusCode });
}

import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type AuthInfo,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  type OAuthMetadata,
  oauthMetadataResponse,
  requireBearerAuth,
  requireScopes,
} from '@modelcontextprotocol/server';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { clientCredentials, signIn } from '../../../src/node/client/auth/index.js';
import { type Listener, serveHttp } from '../../interop-client/servers/serving.js';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.js';
import { call, callAtOnce, open, passSeconds, REVISIONS } from './protected-files.js';
import { User } from './user.js';

const LIFETIME_SECONDS = 60;
const WORKER = { id: 'worker', secret: 'a-secret-of-the-worker-that-is-long-enough' };

describe.each(REVISIONS)('at a protected server of the official SDK, a client that speaks %s', revision => {
  it('gets from the first refusal to a tool call, and refreshes once for 50 calls', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
    const url = await serveOfficial(provider);
    const user = new User('ada');
    const client = await open(url, { revision, auth: signIn({ redirect: user }) });
    const auth = JSON.parse(await call(client, 'whoami'));
    expect(auth).toMatchObject({ scopes: ['mcp'], resource: url, extra: { subject: 'ada' } });
    passSeconds(LIFETIME_SECONDS + 1);
    expect(await callAtOnce(client, 'whoami', 50)).toHaveLength(50);
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);
    expect(user.visits).toHaveLength(1);
  });

  it('gets more scopes when a tool needs them, and keeps those it has', async () => {
    const provider = await startIdentityProvider();
    const user = new User();
    const client = await open(await serveOfficial(provider), { revision, auth: signIn({ redirect: user }) });
    expect(await callAtOnce(client, 'files_write', 10)).toEqual(Array(10).fill('did files:write'));
    const { scopes } = JSON.parse(await call(client, 'whoami'));
    expect(new Set(scopes)).toEqual(new Set(['mcp', 'files:write']));
    expect(user.visits).toHaveLength(2);
  });

  it('gets access for a program', async () => {
    const provider = await startIdentityProvider({
      clients: [
        {
          client_id: WORKER.id,
          client_secret: WORKER.secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
    });
    const client = await open(await serveOfficial(provider), { revision, auth: clientCredentials(WORKER) });
    expect(JSON.parse(await call(client, 'whoami'))).toMatchObject({ clientId: 'worker', scopes: ['mcp'] });
  });
});

/** Serves both eras with the official SDK and its own protection, until the test is over. */
async function serveOfficial(provider: IdentityProvider): Promise<string> {
  const handler = createMcpHandler(createServer);
  const serving = await serveHttp(((request, response) => listener(request, response)) as Listener);
  onTestFinished(async () => {
    await handler.close();
    await serving.close();
  });
  const resource = new URL('/mcp', serving.origin);
  const described = await fetch(`${provider.issuer}/.well-known/openid-configuration`);
  const oauthMetadata = (await described.json()) as OAuthMetadata;
  const metadata = { oauthMetadata, resourceServerUrl: resource, dangerouslyAllowInsecureIssuerUrl: true };
  const gate = requireBearerAuth({
    verifier: { verifyAccessToken: createVerifier(provider) },
    requiredScopes: ['mcp'],
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resource),
    expectedResource: resource,
  });
  const listener = toNodeHandler({
    async fetch(request, options) {
      const description = oauthMetadataResponse(request, metadata);
      if (description) return description;
      const auth = await gate(request);
      return auth instanceof Response ? auth : handler.fetch(request, { ...options, authInfo: auth });
    },
  }) as Listener;
  return resource.href;
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'official', version: '1.0.0' });
  server.registerTool('whoami', {}, ({ http }) => ({
    content: [{ type: 'text', text: JSON.stringify(http?.authInfo) }],
  }));
  server.registerTool('files_write', { scopeChallenge: requireScopes('mcp', 'files:write') }, () => ({
    content: [{ type: 'text', text: 'did files:write' }],
  }));
  return server;
}

function createVerifier({ issuer }: IdentityProvider): (token: string) => Promise<AuthInfo> {
  const keys = createRemoteJWKSet(new URL('/jwks', issuer));
  return async token => {
    const { payload } = await jwtVerify(token, keys, { issuer, typ: 'at+jwt' }).catch(cause => {
      throw new OAuthError(OAuthErrorCode.InvalidToken, cause.message);
    });
    return {
      token,
      clientId: String(payload.client_id),
      scopes: String(payload.scope).split(' '),
      expiresAt: payload.exp!,
      resource: new URL(String(payload.aud)),
      extra: { subject: payload.sub },
    };
  };
}

import {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AuthorizationServer, SECRET, startAuthorizationServer } from '../authorization-server.js';
import { serveProtected } from './protected.js';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

const MODES = [
  ['a handshake', {}],
  ['an envelope', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['whatever the server speaks', { versionNegotiation: { mode: 'auto' } }],
] as const;

describe.each(MODES)('the official client with %s', (_, options) => {
  const create = () => {
    const client = new Client({ name: 'official', version: '1.0.0' }, options as object);
    onTestFinished(() => client.close());
    return client;
  };

  // covers: 2025-06-18/basic/http-uses-the-authorization-framework, 2025-06-18/authorization/http-conforms
  it('finds the authorization server, gets a token for this server and calls a tool', async () => {
    const { url } = await serveProtected(issuer, undefined, { scopes: ['mcp'] });
    const authProvider = new ClientCredentialsProvider({
      clientId: 'worker',
      clientSecret: SECRET,
      expectedIssuer: issuer.issuer,
    });
    const client = create();
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    const { content } = await client.callTool({ name: 'whoami' });
    const auth = JSON.parse((content as { text: string }[])[0]?.text as string);
    expect(auth).toMatchObject({ clientId: 'worker', scopes: ['mcp'], claims: { aud: url } });
  });

  it('gets more scopes when a tool needs them', async () => {
    const { url } = await serveProtected(
      issuer,
      server => void server.tool('write', { scopes: ['files:write'] }, () => 'written'),
      { scopes: ['mcp'] },
    );
    const authProvider = new ClientCredentialsProvider({
      clientId: 'worker',
      clientSecret: SECRET,
      expectedIssuer: issuer.issuer,
    });
    const client = create();
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    const { content } = await client.callTool({ name: 'write' });
    expect(content).toEqual([{ type: 'text', text: 'written' }]);
  });

  it('sees that it is not authorized with a token that is not good', async () => {
    const { url } = await serveProtected(issuer);
    const authProvider = { token: async () => 'made-up' };
    const connected = create().connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
    await expect(connected).rejects.toThrow(UnauthorizedError);
  });

  it('sees that it is not authorized without a token', async () => {
    const { url } = await serveProtected(issuer);
    const connected = create().connect(new StreamableHTTPClientTransport(new URL(url)));
    await expect(connected).rejects.toThrow(/401|unauthorized|access token/i);
  });
});

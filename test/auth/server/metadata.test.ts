import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen, nodeHandler } from '../../../src/node/index.js';
import { introspection, jwt, protect, UsageError } from '../../../src/server/auth/index.js';
import { fetchHandler } from '../../../src/server/http/index.js';
import { Server } from '../../../src/server/index.js';
import { type AuthorizationServer, startAuthorizationServer } from '../authorization-server.js';
import { bearer, serveProtected } from './protected.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterAll(() => issuer.close());

function publicHandler(resource: string, more: object = {}) {
  const server = new Server({ name: 'public', version: '1.0.0' }, { onError: () => {} });
  return fetchHandler(server, {
    auth: protect({
      resource,
      authorizationServers: [issuer.issuer],
      verify: jwt({ issuer: issuer.issuer }),
      ...more,
    }),
  });
}

describe('the metadata of a protected server', () => {
  // covers: 2025-06-18/authorization/server-has-resource-metadata
  // covers: 2025-06-18/authorization/metadata-names-authorization-servers
  // covers: 2025-11-25/authorization/server-tells-where-metadata-is
  // covers: 2026-07-28/authorization-server-discovery/server-has-resource-metadata
  // covers: 2026-07-28/authorization-server-discovery/server-tells-where-metadata-is
  // covers: 2026-07-28/authorization/server-has-resource-metadata
  it.each([WELL_KNOWN, `${WELL_KNOWN}/mcp`])('is at %s, for every page', async path => {
    const { url } = await serveProtected(issuer, undefined, {
      scopes: ['mcp'],
      metadata: { resource_name: 'Files', resource: 'https://evil.example' },
    });
    const response = await fetch(new URL(path, url), { headers: { origin: 'https://app.example' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(await response.json()).toEqual({
      resource: url,
      resource_name: 'Files',
      authorization_servers: [issuer.issuer],
      scopes_supported: ['mcp'],
      bearer_methods_supported: ['header'],
    });
  });

  // covers: 2025-06-18/authorization/401-leads-to-the-metadata
  // covers: 2026-07-28/authorization-server-discovery/server-tells-where-metadata-is
  it('is what the challenge leads to', async () => {
    const { url } = await serveProtected(issuer);
    const refused = await fetch(url, { method: 'POST' });
    const [, link] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(await (await fetch(link as string)).json()).toMatchObject({ resource: url });
  });

  it('is not at other paths', async () => {
    const { url } = await serveProtected(issuer);
    for (const path of [`${WELL_KNOWN}/other`, `${WELL_KNOWN}/mcp/x`, `${WELL_KNOWN}/`, `${WELL_KNOWN}x`]) {
      expect((await fetch(new URL(path, url))).status, path).toBe(404);
    }
  });

  it('can only be read', async () => {
    const { url } = await serveProtected(issuer);
    const response = await fetch(new URL(WELL_KNOWN, url), { method: 'POST', body: '{}' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET');
    const preflight = await fetch(new URL(WELL_KNOWN, url), {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-headers': 'mcp-protocol-version' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version');
  });

  it('is not there without protection', async () => {
    const { url, close } = await listen(new Server({ name: 'open', version: '1.0.0' }), { port: 0 });
    expect((await fetch(new URL(WELL_KNOWN, url))).status).toBe(404);
    await close(0);
  });

  // covers: 2025-06-18/authorization/no-trailing-slash, 2025-06-18/authorization/uppercase-is-accepted
  // covers: 2026-07-28/authorization/no-trailing-slash
  it.each([
    ['https://mcp.example.com/mcp', `${WELL_KNOWN}/mcp`],
    ['https://mcp.example.com', WELL_KNOWN],
    ['https://MCP.example.com/', WELL_KNOWN],
    ['https://mcp.example.com/a/b', `${WELL_KNOWN}/a/b`],
  ])('of %s is at %s, whatever the request says about the host', async (resource, path) => {
    const handler = publicHandler(resource);
    const response = await handler(new Request(`https://inside.example:8080${path}`));
    const canonical = resource.toLowerCase().replace(/\/$/, '');
    expect(await response.json()).toMatchObject({ resource: canonical });
    const refused = await handler(new Request('https://inside.example:8080/mcp', { method: 'POST' }));
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="https://mcp.example.com${path}"`,
    );
  });
});

describe('a protected server in Express', () => {
  it('serves its metadata on the paths that are routed to it', async () => {
    const server = new Server({ name: 'routed', version: '1.0.0' });
    const resource = 'https://mcp.example.com/mcp';
    const verify = jwt({ issuer: issuer.issuer });
    const handler = nodeHandler(server, {
      auth: protect({ resource, authorizationServers: [issuer.issuer], verify }),
    });
    const app = express();
    app.all('/mcp', handler);
    app.get('/.well-known/oauth-protected-resource{/*path}', handler);
    const http = createServer(app as unknown as RequestListener);
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    for (const path of [WELL_KNOWN, `${WELL_KNOWN}/mcp`]) {
      expect(await (await fetch(origin + path)).json()).toMatchObject({ resource });
    }
    expect((await fetch(`${origin}/mcp`, { method: 'POST' })).status).toBe(401);
    http.closeAllConnections();
    http.close();
  });
});

describe('the audience of a public server', () => {
  it('is its resource, not what the Host header says', async () => {
    const handler = publicHandler('https://mcp.example.com/mcp');
    const send = async (aud: string) => {
      const token = await issuer.sign(issuer.claims(aud));
      const headers = { ...bearer(token), host: 'other.example' };
      return (await handler(new Request('https://other.example/mcp', { method: 'POST', headers }))).status;
    };
    expect(await send('https://other.example/mcp')).toBe(401);
    // Past the token: only the content type is missing.
    expect(await send('https://mcp.example.com/mcp')).toBe(415);
  });

  it('has to be given where it cannot be known', async () => {
    const reported: unknown[] = [];
    const server = new Server(
      { name: 'public', version: '1.0.0' },
      { onError: error => reported.push(error) },
    );
    const auth = protect({ authorizationServers: [issuer.issuer], verify: jwt({ issuer: issuer.issuer }) });
    const handler = fetchHandler(server, { auth });
    const response = await handler(new Request('https://mcp.example.com/mcp', { method: 'POST' }));
    expect(response.status).toBe(500);
    expect(String(reported[0])).toContain('protect() needs `resource`');
  });
});

describe('protect', () => {
  const verify = jwt({ issuer: 'https://login.example.com' });
  const authorizationServers = ['https://login.example.com'];

  // covers: 2025-06-18/authorization/metadata-names-authorization-servers
  // covers: 2026-07-28/authorization-server-discovery/metadata-names-a-server
  // covers: 2026-07-28/authorization/no-offline-access-in-challenges
  it.each([
    ['no authorization server', { authorizationServers: [] }, 'at least one issuer'],
    ['one that is no URL', { authorizationServers: ['login.example.com'] }, 'must be an https URL'],
    ['one without TLS', { authorizationServers: ['http://login.example.com'] }, 'must be an https URL'],
    ['a resource without a scheme', { resource: 'mcp.example.com' }, 'cannot identify a server'],
    ['a resource with a fragment', { resource: 'https://mcp.example.com#x' }, 'cannot identify a server'],
    ['a scope for clients', { scopes: ['offline_access'] }, 'offline_access'],
    [
      'such a scope in its metadata',
      { metadata: { scopes_supported: ['offline_access'] } },
      'offline_access',
    ],
  ])('refuses %s', (_, options, message) => {
    expect(() => protect({ authorizationServers, verify, ...options })).toThrow(message);
  });

  it.each([
    ['the issuer', () => jwt({ issuer: 'http://login.example.com' })],
    ['the keys', () => jwt({ issuer: 'https://a.example', jwksUri: 'http://login.example.com/keys' })],
    [
      'the endpoint',
      () => introspection({ endpoint: 'http://login.example.com', clientId: 'a', clientSecret: 'b' }),
    ],
  ])('does not trust %s without TLS', (_name, create) => {
    expect(create).toThrow('must be an https URL');
  });

  it.each(['http://127.0.0.1:9/', 'http://localhost:9', 'http://[::1]:9'])(
    'trusts %s, which is on this machine',
    issuer => {
      expect(() => jwt({ issuer })).not.toThrow();
    },
  );

  it.each(['none', 'HS256', 'HS512', 'dir', 'rs256'])('does not verify with %s', algorithm => {
    expect(() => jwt({ issuer: 'https://login.example.com', algorithms: [algorithm] })).toThrow(
      'is not an algorithm with public keys',
    );
  });

  it.each<[string, () => unknown, string]>([
    [
      'protect',
      () => protect({ authorizationServers, verify, scope: 'mcp' } as never),
      'did you mean "scopes"?',
    ],
    [
      'jwt',
      () => jwt({ issuer: 'https://login.example.com', audience: 'x' } as never),
      'did you mean "audiences"?',
    ],
    [
      'introspection',
      () => introspection({ endpoint: 'https://login.example.com', cacheSeconds: 1 } as never),
      'it has ',
    ],
    [
      'dpop',
      () => protect({ authorizationServers, verify, dpop: { require: true } } as never),
      'did you mean "required"?',
    ],
  ])('refuses an unknown option of %s', (what, make, remedy) => {
    expect(make).toThrow(UsageError);
    expect(make).toThrow(`${what} has no option "`);
    expect(make).toThrow(remedy);
  });

  it.each([-1, 60_001, Number.NaN])('does not let clocks be %s milliseconds apart', clockSkewMs => {
    expect(() => jwt({ issuer: 'https://login.example.com', clockSkewMs })).toThrow('clockSkewMs');
  });

  it('is not combined with another way to authenticate', () => {
    const server = new Server({ name: 'x', version: '1.0.0' });
    const auth = protect({ authorizationServers, verify });
    expect(() => fetchHandler(server, { auth, authenticate: () => undefined })).toThrow('not both');
  });
});

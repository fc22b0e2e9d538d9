import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SignInOptions } from '../../../src/client/auth/index.js';
import { loopback, signIn } from '../../../src/node/client/auth/index.js';
import { introspection } from '../../../src/server/auth/index.js';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.js';
import { call, callAtOnce, open, passSeconds, REVISIONS, serveFiles, whoami } from './protected-files.js';
import { User } from './user.js';

const LIFETIME_SECONDS = 60;

describe.each(REVISIONS)('a user signs in with %s, and the client', revision => {
  const connectAs = (user: User, url: string, options: SignInOptions = {}) =>
    open(url, { revision, auth: signIn({ redirect: user, ...options }) });

  // covers: 2025-06-18/authorization/client-uses-resource-metadata
  // covers: 2025-06-18/authorization/client-uses-as-metadata
  // covers: 2025-06-18/authorization/client-reads-www-authenticate
  // covers: 2025-06-18/authorization/resource-in-authorization-and-token-requests
  // covers: 2025-06-18/authorization/resource-identifies-the-server
  // covers: 2025-06-18/authorization/resource-is-canonical
  // covers: 2025-06-18/authorization/resource-is-most-specific, 2025-06-18/authorization/client-uses-pkce
  // covers: 2025-06-18/authorization/client-supports-registration
  // covers: 2025-06-18/authorization/redirect-uri-is-registered
  // covers: 2025-06-18/authorization/resource-is-always-sent
  // covers: 2025-11-25/authorization/challenge-is-authoritative, 2025-11-25/authorization/least-privilege
  // covers: 2025-11-25/authorization/s256, 2026-07-28/authorization-security/pkce
  // covers: 2026-07-28/authorization-security/redirects-are-registered
  // covers: 2026-07-28/authorization-security/resource-indicators
  // covers: 2026-07-28/authorization-security/resource-is-sent, 2026-07-28/authorization-security/s256
  // covers: 2026-07-28/authorization-server-discovery/client-reads-challenges
  // covers: 2026-07-28/authorization/challenge-is-authoritative
  // covers: 2026-07-28/authorization/client-obtains-an-id
  // covers: 2026-07-28/authorization/client-uses-resource-metadata
  // covers: 2026-07-28/authorization/http-follows-the-specification
  // covers: 2026-07-28/authorization/least-privilege, 2026-07-28/authorization/most-specific-uri
  // covers: 2026-07-28/authorization/no-trailing-slash, 2026-07-28/authorization/resource-in-both-requests
  // covers: 2026-07-28/authorization/resource-indicators, 2026-07-28/authorization/resource-is-canonical
  // covers: 2026-07-28/authorization/resource-is-the-server, 2026-07-28/basic/http-follows-authorization
  it('gets from the first refusal to a tool call with a token for this server', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const user = new User('ada');
    const client = await connectAs(user, url, { clientName: 'Filer' });
    const auth = await whoami(client);

    expect(auth).toMatchObject({ subject: 'ada', scopes: ['mcp'], claims: { aud: url } });
    expect(provider.registrations).toMatchObject([{ client_name: 'Filer', client_id: auth.clientId }]);
    expect(Object.fromEntries(user.visits[0]!.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: auth.clientId,
      code_challenge_method: 'S256',
      resource: url,
      scope: 'mcp offline_access',
    });
    expect(provider.tokenRequests).toMatchObject([
      { status: 200, form: { grant_type: 'authorization_code', resource: url } },
    ]);
    expect(provider.tokenRequests[0]?.form.code_verifier).toMatch(/^[\w~.-]{43,128}$/);
    const { accessToken } = provider.latest;
    expect(decodeProtectedHeader(accessToken).typ).toBe('at+jwt');
    expect(decodeJwt(accessToken)).toMatchObject({ aud: url, iss: provider.issuer, sub: 'ada' });
  });

  it('asks the user once for many first requests at once', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const user = new User();
    const auth = signIn({ redirect: user });
    const clients = await Promise.all(Array.from({ length: 10 }, () => open(url, { revision, auth })));
    for (const client of clients) expect(await whoami(client)).toMatchObject({ subject: 'alice' });
    expect(user.visits).toHaveLength(1);
    expect(provider.registrations).toHaveLength(1);
  });

  it('refreshes once for 50 calls after each expiry, each time with the token of the time before', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
    const url = await serveFiles(provider);
    const user = new User();
    const client = await connectAs(user, url);
    await whoami(client);
    for (let expiries = 1; expiries <= 3; expiries++) {
      const { accessToken, refreshToken } = provider.latest;
      passSeconds(LIFETIME_SECONDS + 1);
      expect(await callAtOnce(client, 'whoami', 50)).toHaveLength(50);
      const refreshes = provider.requests('refresh_token');
      expect(refreshes).toHaveLength(expiries);
      expect(refreshes.at(-1)).toMatchObject({
        status: 200,
        form: { refresh_token: refreshToken, resource: url },
      });
      expect(provider.latest.refreshToken).not.toBe(refreshToken);
      expect(provider.latest.accessToken).not.toBe(accessToken);
    }
    expect(await whoami(client)).toMatchObject({ subject: 'alice', scopes: ['mcp'] });
    expect(user.visits).toHaveLength(1);
  });

  it('refreshes again if its new token has expired on the way to the server', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
    const url = await serveFiles(provider);
    const user = new User();
    let isSlow = false;
    const client = await open(url, {
      revision,
      auth: signIn({ redirect: user }),
      fetch: (...request) => {
        if (isSlow) passSeconds(LIFETIME_SECONDS + 10);
        isSlow = false;
        return fetch(...request);
      },
    });
    await whoami(client);
    passSeconds(LIFETIME_SECONDS + 10);
    isSlow = true;
    expect(await whoami(client)).toMatchObject({ subject: 'alice' });
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(user.visits).toHaveLength(1);
  });

  // covers: 2025-11-25/authorization/retries-are-limited, 2026-07-28/authorization/retries-are-limited
  it('gives up soon if the server refuses what its own provider gives', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider, { verify: () => undefined });
    const user = new User();
    await expect(connectAs(user, url)).rejects.toMatchObject({ name: 'AccessError', problem: 'refused' });
    expect(user.visits.length).toBeLessThanOrEqual(3);
  });

  // covers: 2025-11-25/authorization/client-steps-up, 2025-11-25/authorization/user-client-steps-up
  // covers: 2026-07-28/authorization/client-steps-up, 2026-07-28/authorization/granted-scopes-are-kept
  // covers: 2026-07-28/authorization/user-client-steps-up
  it('asks for more scopes when a tool needs them, and keeps those it has', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const user = new User();
    const client = await connectAs(user, url);
    expect(await whoami(client)).toMatchObject({ scopes: ['mcp'] });

    expect(await callAtOnce(client, 'files_write', 10)).toEqual(Array(10).fill('did files:write'));
    expect(user.visits).toHaveLength(2);
    expect(new Set((await whoami(client)).scopes)).toEqual(new Set(['mcp', 'files:write']));

    expect(await call(client, 'mail')).toBe('did mail');
    expect(await call(client, 'files_write')).toBe('did files:write');
    expect(new Set((await whoami(client)).scopes)).toEqual(new Set(['mcp', 'files:write', 'mail']));
    expect(user.visits).toHaveLength(3);
    expect(provider.registrations).toHaveLength(1);
  });

  it('keeps scopes that it has got since over a refresh', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
    const url = await serveFiles(provider);
    const user = new User();
    const client = await connectAs(user, url);
    await call(client, 'files_write');
    passSeconds(LIFETIME_SECONDS + 1);
    expect(await call(client, 'files_write')).toBe('did files:write');
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);
    expect(user.visits).toHaveLength(2);
  });

  it('gets all scopes when calls that need different ones come at once', async () => {
    const provider = await startIdentityProvider();
    const client = await connectAs(new User(), await serveFiles(provider));
    const tools = ['files_write', 'mail', 'calendar', 'contacts'];
    const answers = await Promise.all(tools.map(tool => call(client, tool)));
    expect(answers).toEqual(['did files:write', 'did mail', 'did calendar', 'did contacts']);
    const scopes = ['mcp', 'files:write', 'mail', 'calendar', 'contacts'];
    expect(new Set((await whoami(client)).scopes)).toEqual(new Set(scopes));
  });

  const serveOpaque = (provider: IdentityProvider) =>
    serveFiles(provider, { verify: introspection(provider.introspection) });

  it('refreshes by itself, once for 20 calls, when its access token was revoked', async () => {
    const provider = await startIdentityProvider({ tokenFormat: 'opaque' });
    const user = new User();
    const client = await connectAs(user, await serveOpaque(provider));
    await whoami(client);
    await provider.revokeAccess();
    expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 200 }]);
    expect(user.visits).toHaveLength(1);
  });

  it('lets the user sign in anew, once for 20 calls, when its refresh token was revoked as well', async () => {
    const provider = await startIdentityProvider({ tokenFormat: 'opaque' });
    const user = new User();
    const client = await connectAs(user, await serveOpaque(provider));
    await whoami(client);
    await provider.revokeAll();
    expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 400 }]);
    expect(user.visits).toHaveLength(2);
    expect(provider.registrations).toHaveLength(1);
  });

  it('lets the user sign in anew, once for 20 calls, when they have taken their consent back', async () => {
    const provider = await startIdentityProvider({ tokenSeconds: LIFETIME_SECONDS });
    const user = new User();
    const client = await connectAs(user, await serveFiles(provider));
    await whoami(client);
    await provider.destroyGrants();
    passSeconds(LIFETIME_SECONDS + 1);
    expect(await callAtOnce(client, 'whoami', 20)).toHaveLength(20);
    expect(provider.requests('refresh_token')).toMatchObject([{ status: 400 }]);
    expect(user.visits).toHaveLength(2);
  });

  it('tells that the user said no, and lets them decide otherwise the next time', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const user = new User();
    const auth = signIn({ redirect: user });
    user.agrees = false;
    await expect(open(url, { revision, auth })).rejects.toMatchObject({
      name: 'AccessError',
      problem: 'denied',
      message: expect.stringContaining('access_denied'),
    });
    expect(provider.tokenRequests).toEqual([]);
    user.agrees = true;
    expect(await whoami(await open(url, { revision, auth }))).toMatchObject({ subject: 'alice' });
  });

  it('goes on with what it may when the user denies more scopes', async () => {
    const provider = await startIdentityProvider();
    const user = new User();
    const client = await connectAs(user, await serveFiles(provider));
    user.agrees = false;
    await expect(call(client, 'files_write')).rejects.toMatchObject({ problem: 'denied' });
    expect(await whoami(client)).toMatchObject({ scopes: ['mcp'] });
  });

  it('receives the user on this machine when their browser comes back', async () => {
    const provider = await startIdentityProvider();
    const url = await serveFiles(provider);
    const user = new User('grace');
    const pages: string[] = [];
    const redirect = loopback({
      async open(page) {
        const back = await user.visit(page);
        fetch(back).then(async response => pages.push(await response.text()));
      },
    });
    const client = await open(url, { revision, auth: signIn({ redirect }) });
    expect(await whoami(client)).toMatchObject({ subject: 'grace' });
    await expect.poll(() => pages).toEqual([expect.stringContaining('You are signed in')]);
  });
});

it('signs in on the way of finding out which revision the server speaks', async () => {
  const provider = await startIdentityProvider();
  const user = new User();
  const client = await open(await serveFiles(provider), { auth: signIn({ redirect: user }) });
  expect(await whoami(client)).toMatchObject({ subject: 'alice' });
  expect(user.visits).toHaveLength(1);
});

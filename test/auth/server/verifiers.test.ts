import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { InvalidToken, introspection, type VerifiedToken } from '../../../src/server/auth/index.js';
import { ModernClient } from '../../http/modern-client.js';
import {
  type AuthorizationServer,
  INTROSPECTION_CREDENTIALS,
  startAuthorizationServer,
} from '../authorization-server.js';
import { bearer, serveProtected } from './protected.js';

let issuer: AuthorizationServer;

beforeAll(async () => {
  issuer = await startAuthorizationServer();
});

afterEach(() => {
  issuer.isDown = false;
});

afterAll(() => issuer.close());

function asking(more: object = {}) {
  return introspection({ endpoint: issuer.introspectionEndpoint, ...INTROSPECTION_CREDENTIALS, ...more });
}

function invalid(challenge: (...parameters: string[]) => string, says: string): string {
  return challenge('error="invalid_token"', `error_description="${says}"`);
}

describe('introspection at a real authorization server', () => {
  it('accepts an active token and tells who calls', async () => {
    const { url } = await serveProtected(issuer, undefined, { verify: asking() });
    const token = await issuer.token(url, { client: 'opaque', scope: 'mcp' });
    const { result } = await new ModernClient(url, bearer(token)).call('whoami');
    const auth = JSON.parse(result.content[0].text);
    expect(auth).toMatchObject({ clientId: 'opaque', scopes: ['mcp'], claims: { active: true, aud: url } });
    expect(auth.expiresAt).toBeGreaterThan(Date.now());
    expect(JSON.parse(auth.principal)).toContain('opaque');
  });

  it('refuses a token that was revoked, at the latest when the answer is no longer kept', async () => {
    const { url, challenge } = await serveProtected(issuer, undefined, {
      verify: asking({ cacheMs: 0 }),
    });
    const token = await issuer.token(url, { client: 'opaque' });
    const client = new ModernClient(url, bearer(token));
    expect((await client.call('whoami')).status).toBe(200);
    await issuer.revoke(token, 'opaque');
    const { status, headers } = await client.call('whoami');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(invalid(challenge, 'the token is not active'));
  });

  it('refuses a token that the server does not know', async () => {
    const { url, challenge } = await serveProtected(issuer, undefined, { verify: asking() });
    const { status, headers } = await new ModernClient(url, bearer('made-up')).call('whoami');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(invalid(challenge, 'the token is not active'));
  });

  it('refuses a token for another server', async () => {
    const { url, challenge } = await serveProtected(issuer, undefined, { verify: asking() });
    const token = await issuer.token('https://other.example/mcp', { client: 'opaque' });
    const { status, headers } = await new ModernClient(url, bearer(token)).call('whoami');
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(invalid(challenge, 'the token is for another audience'));
  });

  it('lets nobody in if it is not allowed to ask', async () => {
    const verify = asking({ clientSecret: 'wrong' });
    const { url, reported } = await serveProtected(issuer, undefined, { verify });
    const token = await issuer.token(url, { client: 'opaque' });
    const { status } = await new ModernClient(url, bearer(token)).call('whoami');
    expect(status).toBe(503);
    expect(String(reported[0])).toContain('are clientId and clientSecret right?');
  });
});

describe('an introspection endpoint that answers oddly', () => {
  const now = Math.floor(Date.now() / 1000);
  it.each([
    ['inactive', { active: false }, 401, 'the token is not active'],
    ['nearly active', { active: 'true' }, 401, 'the token is not active'],
    ['nothing', {}, 401, 'the token is not active'],
    ['expired', { exp: now - 10 }, 401, 'the token has expired'],
    ['not valid yet', { nbf: now + 100 }, 401, 'the token is not valid yet'],
    ['no audience', { aud: undefined }, 401, 'the token is for another audience'],
    ['another audience', { aud: ['https://other.example'] }, 401, 'the token is for another audience'],
    ['another issuer', { iss: 'https://evil.example' }, 401, 'the token is from another issuer'],
    [
      'bound to a key',
      { cnf: { jkt: 'x' } },
      401,
      'the token is bound to a key, so it cannot be used as a bearer token',
    ],
    ['nobody', { sub: undefined }, 401, 'the token names neither a subject nor a client'],
  ])('does not let anybody in: %s', async (what, changes, status, says) => {
    const good = { active: true, sub: 'alice', aud: 'SELF', exp: now + 600 };
    let aud = '';
    const endpoint = await answering(() => {
      const answer = what === 'nothing' ? {} : { ...good, ...changes };
      return JSON.stringify(answer).replace('SELF', aud);
    });
    const verify = introspection({ endpoint, ...INTROSPECTION_CREDENTIALS, issuer: 'https://login.example' });
    const { url, challenge } = await serveProtected(issuer, undefined, { verify });
    aud = url;
    const answer = await new ModernClient(url, bearer('token')).call('whoami');
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(invalid(challenge, says));
  });

  it.each(['', 'nonsense', '[]', 'null', '"active"'])('is as good as none: %j', async text => {
    const endpoint = await answering(() => text);
    const verify = introspection({ endpoint, ...INTROSPECTION_CREDENTIALS });
    const { url } = await serveProtected(issuer, undefined, { verify });
    expect((await new ModernClient(url, bearer('token')).call('whoami')).status).toBe(503);
  });

  it('is not waited for any longer than it should be', async () => {
    const endpoint = await answering(() => undefined);
    const verify = introspection({ endpoint, ...INTROSPECTION_CREDENTIALS, timeoutMs: 100 });
    const { url } = await serveProtected(issuer, undefined, { verify });
    expect((await new ModernClient(url, bearer('token')).call('whoami')).status).toBe(503);
  });
});

describe('keys that cannot be fetched', () => {
  it.each([
    ['at a given address', () => ({ jwksUri: issuer.jwksUri })],
    ['by discovery', () => ({})],
  ])('let nobody in, and do no lasting harm: %s', async (_, options) => {
    const { url, reported } = await serveProtected(issuer, undefined, { jwt: options() });
    const client = new ModernClient(url, bearer(await issuer.token(url)));
    issuer.isDown = true;
    const refused = await client.call('whoami');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.headers.get('www-authenticate')).toBeNull();
    expect(refused.error?.message).toBe('tokens cannot be verified right now; try again later');
    expect(reported).toHaveLength(1);
    issuer.isDown = false;
    expect((await client.call('whoami')).status).toBe(200);
    // What is known stays good while the authorization server is away.
    issuer.isDown = true;
    expect((await client.call('whoami')).status).toBe(200);
  });

  it('are not taken from an issuer that says it is another one', async () => {
    const liar = await answering(() => JSON.stringify({ issuer: issuer.issuer, jwks_uri: issuer.jwksUri }));
    const { url, reported } = await serveProtected(issuer, undefined, { jwt: { issuer: liar } });
    const token = await issuer.sign(issuer.claims(url, { iss: liar }));
    expect((await new ModernClient(url, bearer(token)).call('whoami')).status).toBe(503);
    expect(String(reported[0])).toContain('were not found; set jwksUri');
  });
});

describe('a function of the author', () => {
  const alice: VerifiedToken = { subject: 'alice', scopes: ['mcp'] };

  it('gets the token and the resource, and says who calls', async () => {
    const asked: unknown[] = [];
    const { url } = await serveProtected(issuer, undefined, {
      verify: async (token, resource) => {
        asked.push(token, resource);
        return alice;
      },
    });
    const { result } = await new ModernClient(url, bearer('abc')).call('whoami');
    expect(asked).toEqual(['abc', url]);
    expect(JSON.parse(result.content[0].text)).toEqual({ ...alice, principal: '[null,"alice",null]' });
  });

  it.each<[string, () => VerifiedToken | undefined, number]>([
    ['returns nothing', () => undefined, 401],
    [
      'refuses',
      () => {
        throw new InvalidToken('revoked "today"\r\nx: y');
      },
      401,
    ],
    ['returns somebody without a name', () => ({ scopes: [] }), 401],
    ['returns something that has expired', () => ({ ...alice, expiresAt: 1 }), 401],
    [
      'fails',
      () => {
        throw new Error('the database is gone');
      },
      503,
    ],
  ])('lets nobody in if it %s', async (_, verify, status) => {
    const { url, reported } = await serveProtected(issuer, undefined, { verify });
    const answer = await new ModernClient(url, bearer('abc')).call('whoami');
    expect(answer.status).toBe(status);
    expect(reported).toHaveLength(status === 503 ? 1 : 0);
    expect(answer.text).not.toContain('database');
  });

  it('is told if it returns seconds', async () => {
    const expiresAt = Math.floor(Date.now() / 1000) + 3600;
    const { url, reported } = await serveProtected(issuer, undefined, {
      verify: () => ({ ...alice, expiresAt }),
    });
    expect((await new ModernClient(url, bearer('abc')).call('whoami')).status).toBe(503);
    expect(reported).toMatchObject([
      { kind: 'usage', message: expect.stringContaining('multiply it by 1000') },
    ]);
  });

  it('is asked every time, unless it is to be kept', async () => {
    for (const [cacheMs, times] of [
      [undefined, 2],
      [60_000, 1],
    ] as const) {
      let asked = 0;
      const { url } = await serveProtected(issuer, undefined, {
        verify: () => {
          asked++;
          return alice;
        },
        ...(cacheMs !== undefined && { cacheMs }),
      });
      const client = new ModernClient(url, bearer('abc'));
      await client.call('whoami');
      await client.call('whoami');
      expect(asked).toBe(times);
    }
  });
});

/** An endpoint that answers everything with a text; with nothing if there is none. */
async function answering(answer: () => string | undefined): Promise<string> {
  const http = createServer((_, response) => {
    const text = answer();
    if (text !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/client/index.js';
import { bearer, clientCredentials, signIn } from '../../../src/node/client/auth/index.js';
import { connect, connectAll } from '../../../src/node/client/index.js';
import { connected, failure, serveRaw } from '../../client-faults/connected.js';
import { modern } from '../../client-faults/raw-server.js';

const ELSEWHERE = 'http://mcp.example.com/mcp';

/** A fetch that brings everything to a server on this machine, and remembers what was sent. */
async function spy() {
  const server = await serveRaw(modern({ 'tools/call': ask => ask.text('done') }));
  const sent: Headers[] = [];
  const fetch: typeof globalThis.fetch = (_url, init) => {
    sent.push(new Headers(init?.headers));
    return globalThis.fetch(server.url, init);
  };
  return { fetch, sent };
}

const SECRETS = {
  'a token': { auth: bearer('token') },
  'a sign-in': { auth: signIn() },
  'client credentials': { auth: clientCredentials({ id: 'kitchen', secret: 'secret' }) },
  'an Authorization header': { headers: { Authorization: 'Bearer token' } },
  'a cookie': { headers: { Cookie: 'session=1' } },
  'an API key': { headers: { 'X-Api-Key': 'key' } },
  'a token in another header': { headers: { 'X-Auth-Token': 'token' } },
};

describe.each(Object.entries(SECRETS))('%s', (_what, options) => {
  // covers: 2025-06-18/authorization/communication-security
  // covers: 2026-07-28/authorization-security/communication-security
  it('is not sent to another machine over plain http', async () => {
    const { fetch, sent } = await spy();
    const error = await failure(connect(ELSEWHERE, { ...options, fetch }));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain('mcp.example.com');
    expect(error.message).toContain('https:');
    expect(sent).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:1/mcp',
    'http://localhost:1/mcp',
    'http://[::1]:1/mcp',
    'https://mcp.example.com/',
  ])('may be sent to %s', async url => {
    const { fetch, sent } = await spy();
    await connected(url, { ...options, fetch });
    expect(sent.length).toBeGreaterThan(0);
  });
});

// covers: 2026-07-28/authorization-security/communication-security
it.each([
  'http://10.0.0.1/mcp',
  'http://127.0.0.1.example.com/mcp',
  'http://localhost.example.com/mcp',
  'http://[::2]/mcp',
  'http://0.0.0.0/mcp',
])('a token is not sent to %s', async url => {
  const { fetch, sent } = await spy();
  await expect(connect(url, { auth: bearer('token'), fetch })).rejects.toThrow(UsageError);
  expect(sent).toEqual([]);
});

it('a token for one server of a group is not sent over plain http', async () => {
  const { fetch, sent } = await spy();
  const member = { target: ELSEWHERE, auth: bearer('token') };
  await expect(connectAll({ bistro: member }, { fetch })).rejects.toThrow('https:');
  expect(sent).toEqual([]);
});

it('a header of a single request with a secret is not sent over plain http', async () => {
  const { fetch, sent } = await spy();
  const client = await connected(ELSEWHERE, { fetch });
  const error = await failure(client.callTool('cook', {}, { headers: { Authorization: 'Bearer token' } }));
  expect(error).toBeInstanceOf(UsageError);
  await client.callTool('cook', {}, { headers: { 'X-Trace': '1' } });
  expect(sent.map(headers => headers.get('authorization'))).toEqual(sent.map(() => null));
  expect(sent.at(-1)?.get('x-trace')).toBe('1');
});

it('headers of a single request cannot replace those of the protocol', async () => {
  const { fetch, sent } = await spy();
  const client = await connected(ELSEWHERE, { fetch });
  await client.callTool('cook', {}, { headers: { 'Mcp-Method': 'ping' } });
  expect(sent.at(-1)?.get('mcp-method')).toBe('tools/call');
  const error = await failure(client.callTool('cook', {}, { headers: { 'X-Trace': 'a\nb' } }));
  expect(error).toBeInstanceOf(UsageError);
});

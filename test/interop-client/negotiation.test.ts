import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client, ConnectOptions, Negotiated } from '../../src/client/index.js';
import { CannotConnect, connect } from '../../src/node/client/index.js';
import { ROOT } from './servers/child.js';
import { type Got, type Reply, serveScript } from './servers/scripted-http.js';
import { until } from './until.js';

const MODERN = '2026-07-28';
const NEWEST_LEGACY = '2025-11-25';
const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: [MODERN],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'new', version: '1' } },
};
const WELCOME = {
  protocolVersion: NEWEST_LEGACY,
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
};
const TOOLS = { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
const NO_METHOD = { error: { code: -32601 } };
const UNSUPPORTED = { error: { code: -32022, data: { supported: [MODERN], requested: NEWEST_LEGACY } } };
const HANDSHAKE = ['initialize', 'notifications/initialized'];

/** A server of the old era, but for what is said otherwise. */
function oldServer(others: Record<string, Reply> = {}): (got: Got) => Reply {
  return ({ what }) =>
    others[what] ??
    ({ initialize: { result: WELCOME }, 'tools/list': { result: TOOLS }, ping: { result: {} } }[
      what
    ] as Reply) ?? {
      ...NO_METHOD,
      status: 200,
    };
}

/** A server of the new era, but for what is said otherwise. */
function newServer(others: Record<string, Reply> = {}): (got: Got) => Reply {
  return ({ what }) =>
    others[what] ??
    ({
      'server/discover': { result: DISCOVERED },
      'tools/list': { result: { ...TOOLS, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } },
      initialize: { ...UNSUPPORTED, status: 400 },
    }[what] as Reply) ?? { ...NO_METHOD, status: 404 };
}

/** Connects until the test is over. */
async function open(target: Parameters<typeof connect>[0], options?: ConnectOptions): Promise<Client> {
  const client = await connect(target, { onWarning: () => {}, ...options });
  onTestFinished(() => client.close());
  return client;
}

async function refusal(connecting: Promise<Client>): Promise<CannotConnect> {
  const error = await connecting.catch(error => error);
  expect(error).toBeInstanceOf(CannotConnect);
  return error;
}

describe('over HTTP, the first message', () => {
  // covers: 2026-07-28/streamable-http/accepts-both-types
  // covers: 2026-07-28/streamable-http/metadata-headers-on-each-post
  test('is a modern request, with its envelope and its headers', async () => {
    const { url, got, sent } = await serveScript(newServer());
    const client = await open(url);
    expect(client.revision).toBe(MODERN);
    expect(sent()).toEqual(['server/discover']);
    expect(got[0]?.headers).toMatchObject({
      'mcp-protocol-version': MODERN,
      'mcp-method': 'server/discover',
      accept: 'application/json, text/event-stream',
    });
    expect(got[0]?.params._meta).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientCapabilities': {},
    });
  });

  // covers: 2026-07-28/streamable-http/client-reads-the-body-of-a-400
  test.each<[string, Reply]>([
    ['an error in a 200', { ...NO_METHOD, status: 200 }],
    ['an error in a 400', { error: { code: -32000 }, status: 400 }],
    ['an error in a 404', { ...NO_METHOD, status: 404 }],
    ['a 400 without a message', { status: 400, text: 'Bad Request' }],
    ['a 404 without a message', { status: 404, text: '<h1>Not here</h1>' }],
    ['a 405', { status: 405 }],
    ['a page', { status: 200, text: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } }],
    ['a result that describes nothing', { result: {} }],
    ['an old revision', { ...UNSUPPORTED, error: { code: -32022, data: { supported: ['2025-11-25'] } } }],
  ])('leads to the handshake if it is answered with %s', async (_name, reply) => {
    const { url, sent } = await serveScript(oldServer({ 'server/discover': reply }));
    const client = await open(url);
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(client.server.info?.name).toBe('old');
    expect(sent()).toEqual(['server/discover', ...HANDSHAKE]);
    expect(await client.tools()).toHaveLength(1);
  });

  // covers: 2026-07-28/streamable-http/client-reads-the-body-of-a-400
  test.each<[string, Reply]>([
    ['that headers do not match', { error: { code: -32020 }, status: 400 }],
    ['that a capability is missing', { error: { code: -32021 }, status: 400 }],
    ['that it supports what was asked for', { ...UNSUPPORTED, status: 400 }],
    ['that headers do not match, with a status of a broken server', { error: { code: -32020 }, status: 500 }],
    ['that it supports what was asked for, with a status of a busy server', { ...UNSUPPORTED, status: 503 }],
  ])('shows a modern server even if it refuses, saying %s', async (_name, reply) => {
    const { url, sent } = await serveScript(newServer({ 'server/discover': reply }));
    const client = await open(url);
    expect(client.revision).toBe(MODERN);
    expect(await client.tools()).toHaveLength(1);
    expect(sent()).toEqual(['server/discover', 'tools/list']);
  });

  // covers: 2026-07-28/versioning/client-retries-with-a-common-version
  test('finds the revision that an error names', async () => {
    const supported = ['1999-12-31', '2025-03-26', '2025-06-18'];
    const { url, got } = await serveScript(({ what, params }) =>
      what === 'initialize'
        ? { result: { ...WELCOME, protocolVersion: params.protocolVersion } }
        : { error: { code: -32022, data: { supported } }, status: 400 },
    );
    expect((await open(url)).revision).toBe('2025-06-18');
    expect(got[1]?.params.protocolVersion).toBe('2025-06-18');
  });

  // covers: 2026-07-28/versioning/client-retries-with-a-common-version
  test('ends in vain if no revision is common', async () => {
    const supported = ['2031-01-01'];
    const reply: Reply = { error: { code: -32022, data: { supported } }, status: 400 };
    const { url, sent } = await serveScript(() => reply);
    const error = await refusal(connect(url));
    expect(error.message).toContain('there is no revision that both sides speak: it has 2031-01-01');
    expect(sent()).toEqual(['server/discover']);
  });

  test('is waited for only so long', async () => {
    const { url, sent } = await serveScript(oldServer({ 'server/discover': 'silence' }));
    const warnings: string[] = [];
    const client = await open(url, { probeTimeoutMs: 50, onWarning: text => warnings.push(text) });
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(sent()).toEqual(['server/discover', ...HANDSHAKE]);
    // Silence is no outcome to rely on.
    expect(client.negotiated.doubtful).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('may speak a newer one')]);
  });

  test.each<[string, Reply]>([
    ['a firewall refuses', { status: 403, text: '<h1>Request blocked</h1>' }],
    ['a server fails on', { status: 500, text: 'Internal Server Error' }],
    ['a server has not implemented', { status: 501 }],
    ['a page answers', { status: 200, text: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } }],
  ])('that %s leads to the handshake, and the next connection probes again', async (_name, reply) => {
    const { url, sent } = await serveScript(oldServer({ 'server/discover': reply }));
    const warnings: string[] = [];
    const client = await open(url, { onWarning: text => warnings.push(text) });
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(client.negotiated.doubtful).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('may speak a newer one')]);
    await open(url, { negotiated: client.negotiated, onWarning: () => {} });
    expect(sent()).toEqual(['server/discover', ...HANDSHAKE, 'server/discover', ...HANDSHAKE]);
  });

  test.each<[string, Reply, string]>([
    ['a firewall', { status: 403, text: '<h1>Request blocked</h1>' }, 'it refuses access'],
    ['its own failure', { status: 500, text: 'oops' }, 'it has trouble of its own'],
  ])('and the handshake, both refused by %s, give the true reason', async (_name, reply, advice) => {
    const { url, sent } = await serveScript(() => reply);
    const error = await refusal(connect(url));
    expect(error.message).toContain(advice);
    expect(error.attempts.map(({ what }) => what)).toEqual(['server/discover', 'initialize']);
    expect(sent()).toEqual(['server/discover', 'initialize']);
  });

  test('that is refused with a session id does not open a session', async () => {
    const reply: Reply = {
      error: { code: -32000, message: 'not initialized' },
      status: 400,
      headers: { 'mcp-session-id': 'ghost' },
    };
    const { url, got } = await serveScript(oldServer({ 'server/discover': reply }));
    const client = await open(url);
    expect(await client.tools()).toHaveLength(1);
    expect(got.map(({ headers }) => headers['mcp-session-id'])).toEqual(got.map(() => undefined));
  });

  test('is given up with the signal', async () => {
    const { url, got, connections } = await serveScript(() => 'silence');
    const cancel = new AbortController();
    const connecting = connect(url, { signal: cancel.signal });
    await until(() => expect(got).toHaveLength(1));
    cancel.abort(new Error('enough'));
    await expect(connecting).rejects.toThrow('enough');
    await until(async () => expect(await connections()).toBe(0));
  });
});

describe('over HTTP, nothing is concluded', () => {
  test.each<[number, string]>([
    [401, 'pass `auth`'],
    [407, ''],
    [408, ''],
    [429, ''],
    [502, 'it has trouble of its own'],
    [503, 'it has trouble of its own'],
    [504, 'or a proxy in front of it has'],
    [302, ''],
  ])('from status %i', async (status, advice) => {
    for (const reply of [
      { status, text: 'no' },
      { error: { code: -32601 }, status },
    ]) {
      const { url, sent, connections } = await serveScript(() => reply);
      const error = await refusal(connect(url));
      expect(error.message).toContain(advice);
      expect(error.attempts).toEqual([
        { what: 'server/discover', outcome: expect.stringMatching(/status|redirect/) },
      ]);
      expect(sent()).toEqual(['server/discover']);
      await until(async () => expect(await connections()).toBe(0));
    }
  });

  test('from a connection that breaks', async () => {
    const { url, sent } = await serveScript(() => 'hang up');
    const error = await refusal(connect(url));
    expect(error.message).toContain('is it running, and is the address right?');
    expect(error.attempts).toHaveLength(1);
    expect(sent()).toEqual(['server/discover']);
  });

  test('from a port where nobody listens', async () => {
    const error = await refusal(connect(`http://127.0.0.1:${await freePort()}/mcp`));
    expect(error.attempts).toEqual([
      { what: 'server/discover', outcome: expect.stringContaining('ECONNREFUSED') },
    ]);
  });

  test('from trouble with the handshake', async () => {
    const { url, sent } = await serveScript(oldServer({ initialize: { status: 503, text: 'later' } }));
    const error = await refusal(connect(url));
    expect(error.attempts.map(({ what }) => what)).toEqual(['server/discover', 'initialize']);
    expect(error.message).toContain('it has trouble of its own');
    expect(sent()).toEqual(['server/discover', 'initialize']);
  });
});

describe('over HTTP, a handshake', () => {
  test('that the server does not support leads to one more probe', async () => {
    const { url, sent } = await serveScript((got, earlier) =>
      // A balancer before it, say, that sends requests to nodes of two kinds.
      got.what === 'server/discover' && earlier.length === 0
        ? { status: 404, text: 'Not found' }
        : newServer()(got),
    );
    const client = await open(url);
    expect(client.revision).toBe(MODERN);
    expect(sent()).toEqual(['server/discover', 'initialize', 'server/discover']);
    expect(await client.tools()).toHaveLength(1);
  });

  test('is not repeated for ever', async () => {
    const { url, sent } = await serveScript(({ what }) =>
      what === 'initialize' ? { ...UNSUPPORTED, status: 400 } : { status: 404 },
    );
    const error = await refusal(connect(url));
    expect(sent()).toEqual(['server/discover', 'initialize', 'server/discover', 'initialize']);
    expect(error.attempts).toHaveLength(4);
  });

  test('settles on the older revision that the server answers with', async () => {
    const { url } = await serveScript(
      oldServer({ initialize: { result: { ...WELCOME, protocolVersion: '2024-11-05' } } }),
    );
    expect((await open(url)).revision).toBe('2024-11-05');
  });

  // covers: 2025-06-18/lifecycle/client-leaves-an-unknown-version
  // covers: 2025-06-18/schema/client-disconnects-from-an-unsupported-version
  // covers: 2025-06-18/lifecycle/version-mismatch-is-handled
  test('is refused if the server answers with a revision that nobody knows', async () => {
    const { url } = await serveScript(
      oldServer({ initialize: { result: { ...WELCOME, protocolVersion: '1999-12-31' } } }),
    );
    expect((await refusal(connect(url))).message).toContain('wants to speak revision "1999-12-31"');
  });

  // covers: 2025-06-18/transports/client-falls-back-to-http-sse
  // covers: 2025-11-25/transports/sse-fallback-on-400-404-405
  test.each([400, 404, 405])('that gets a bare %i is tried over HTTP+SSE', async status => {
    const { url, sent } = await serveScript(({ what }) =>
      what === 'GET' ? { events: 'event: endpoint\ndata: /messages\n\n' } : { status },
    );
    const error = await refusal(connect(url, { timeoutMs: 1000 }));
    expect(sent()).toEqual(['server/discover', 'initialize', 'GET', 'initialize']);
    expect(error.attempts.map(({ what }) => what)).toEqual(['server/discover', 'initialize', 'HTTP+SSE']);
  });

  test('tells of all that was tried at an address where there is no server', async () => {
    const page: Reply = { status: 404, text: 'Cannot POST /' };
    const { url, sent, connections } = await serveScript(() => page);
    const error = await refusal(connect(url));
    expect(error.message).toContain('is this the address of an MCP server?');
    expect(error.message).toContain('  - server/discover: the server answered with HTTP status 404');
    expect(error.message).toContain('  - initialize: the server answered with HTTP status 404');
    expect(error.message).toContain('  - HTTP+SSE: the server answered with HTTP status 404');
    expect(sent()).toEqual(['server/discover', 'initialize', 'GET']);
    await until(async () => expect(await connections()).toBe(0));
  });
});

describe('over HTTP, a remembered outcome', () => {
  const old: Negotiated = { revision: NEWEST_LEGACY };
  const modern: Negotiated = { revision: MODERN };

  test.each<[string, Reply]>([
    ['-32022', { ...UNSUPPORTED, status: 400 }],
    ['-32601 in a 404', { ...NO_METHOD, status: 404 }],
    ['-32602 in a 400', { error: { code: -32602 }, status: 400 }],
    ['a bare 400', { status: 400, text: 'Bad Request' }],
  ])('for the old era is corrected if the handshake is answered with %s', async (_name, initialize) => {
    const { url, sent } = await serveScript(newServer({ initialize }));
    const client = await open(url, { negotiated: old });
    expect(client.revision).toBe(MODERN);
    expect(client.negotiated).toMatchObject({ revision: MODERN, server: { info: { name: 'new' } } });
    expect(sent()).toEqual(['initialize', 'server/discover']);
  });

  test.each<[string, Reply]>([
    ['an error in a 400', { error: { code: -32000 }, status: 400 }],
    ['a bare 400', { status: 400, text: 'Bad Request' }],
    ['a bare 404', { status: 404 }],
    ['an error in a 200', { error: { code: -32600 }, status: 200 }],
    ['an old result', { result: TOOLS }],
  ])('for the new era is corrected if the first request is answered with %s', async (_name, refused) => {
    const { url, sent } = await serveScript(({ what, headers }) => {
      const isModern = headers['mcp-method'] !== undefined && what !== 'server/discover';
      return isModern ? refused : oldServer()({ what } as Got);
    });
    const client = await open(url, { negotiated: modern });
    expect(client.revision).toBe(MODERN);
    expect(await client.tools()).toHaveLength(1);
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(client.negotiated.revision).toBe(NEWEST_LEGACY);
    expect(sent()).toEqual(['tools/list', 'server/discover', ...HANDSHAKE, 'tools/list']);
  });

  test('for HTTP+SSE is corrected if there is something newer', async () => {
    const { url, sent } = await serveScript(newServer({ GET: { status: 405 } }));
    const client = await open(url, { negotiated: { ...old, sse: true } });
    expect(client.revision).toBe(MODERN);
    expect(client.negotiated.sse).toBeUndefined();
    expect(sent()).toEqual(['GET', 'server/discover']);
  });

  // covers: 2026-07-28/versioning/era-is-cached
  test('that is right stays, whatever a request is answered with', async () => {
    const refused = { error: { code: -32602, message: 'unknown tool' }, status: 200 };
    const { url, sent } = await serveScript(newServer({ 'tools/call': refused }));
    const client = await open(url, { negotiated: modern });
    await expect(client.callTool('juggle')).rejects.toThrow('unknown tool');
    await expect(client.callTool('juggle')).rejects.toThrow('unknown tool');
    // The list of tools, which comes first, has shown that it is right.
    expect(sent()).toEqual(['tools/list', 'tools/call', 'tools/call']);
  });

  test('is not doubted because access is refused, or the server has trouble', async () => {
    for (const status of [401, 403, 500, 503]) {
      const { url, sent } = await serveScript(() => ({ status, text: 'no' }));
      const client = await open(url, { negotiated: modern });
      await expect(client.tools()).rejects.toMatchObject({ status });
      expect(sent()).toEqual(['tools/list']);
    }
  });

  test('that names an unknown revision is as good as none', async () => {
    const { url, sent } = await serveScript(newServer());
    expect((await open(url, { negotiated: { revision: '2031-01-01' } })).revision).toBe(MODERN);
    expect(sent()).toEqual(['server/discover']);
  });

  test('does not disturb what else is under way while it is doubted', async () => {
    const { url } = await serveScript(({ what, params }) => {
      if (what === 'tools/call' && params.name === 'slow') return 'silence';
      if (what === 'tools/call') return { status: 404, text: 'gone' };
      return newServer()({ what } as Got);
    });
    const client = await open(url);
    const slow = client.callTool('slow', {}, { timeoutMs: 500 }).catch(error => error);
    await expect(client.callTool('lost')).rejects.toMatchObject({ status: 404 });
    expect((await slow).name).toBe('RequestTimeout');
  });
});

describe('a pinned revision', () => {
  test('is spoken, old ones without a probe', async () => {
    const welcome = (got: Got): Reply => ({
      result: { ...WELCOME, protocolVersion: got.params.protocolVersion },
    });
    for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const { url, sent } = await serveScript(welcome);
      expect((await open(url, { revision })).revision).toBe(revision);
      expect(sent()).toEqual(HANDSHAKE);
    }
    const { url, sent } = await serveScript(newServer());
    expect((await open(url, { revision: MODERN })).revision).toBe(MODERN);
    expect(sent()).toEqual(['server/discover']);
  });

  test('is refused if the server answers with another', async () => {
    const { url, sent, connections } = await serveScript(oldServer());
    const error = await refusal(connect(url, { revision: '2025-06-18' }));
    expect(error.message).toContain(
      'it answered with revision 2025-11-25, not with the 2025-06-18 asked for',
    );
    expect(sent()).not.toContain('server/discover');
    await until(async () => expect(await connections()).toBe(0));
  });

  test('is refused if the server is of the other era', async () => {
    const older = await serveScript(oldServer());
    const wanted = await refusal(connect(older.url, { revision: MODERN }));
    expect(wanted.message).toContain('it does not speak revision 2026-07-28, which was asked for');
    expect(older.sent()).toEqual(['server/discover']);
    const newer = await serveScript(newServer());
    const error = await refusal(connect(newer.url, { revision: '2025-06-18' }));
    expect(error.message).toContain('it does not speak revision 2025-06-18, which was asked for');
    expect(newer.sent()).toEqual(['initialize']);
  });

  const foreignHost = { code: -32600, message: 'the host evil.example is not allowed' };
  test.each<[string, Reply, string]>([
    ['a firewall', { status: 403, text: 'forbidden' }, 'it refuses access'],
    ['a server that does not know the host', { status: 403, error: foreignHost }, 'it refuses access'],
    ['a wrong path', { status: 404, text: 'nope' }, 'it answered none of the ways|nothing at this address'],
    ['a proxy', { status: 502, text: 'bad gateway' }, 'it has trouble of its own'],
  ])('is not said to be the reason of a refusal by %s', async (_name, reply, advice) => {
    for (const revision of [MODERN, '2025-06-18'] as const) {
      const { url } = await serveScript(() => reply);
      const { message } = await refusal(connect(url, { revision }));
      expect(message).toMatch(new RegExp(advice));
      expect(message).not.toContain('does not speak revision');
    }
  });

  test('is refused if the server names others', async () => {
    const { url } = await serveScript(
      newServer({ 'server/discover': { result: { ...DISCOVERED, supportedVersions: ['2025-11-25'] } } }),
    );
    const error = await refusal(connect(url, { revision: MODERN }));
    expect(error.message).toContain('it has 2025-11-25, we have 2026-07-28');
  });

  test('is refused at once if there is no such revision', async () => {
    const { url, sent } = await serveScript(newServer());
    await expect(connect(url, { revision: '2025-13-32' })).rejects.toThrow(
      'there is no revision 2025-13-32; known are 2026-07-28, 2025-11-25',
    );
    expect(sent()).toEqual([]);
  });
});

type Script = Record<string, unknown>;
const OLD_SCRIPT: Script = { initialize: { result: WELCOME }, 'tools/list': { result: TOOLS } };
const NEW_SCRIPT: Script = {
  'server/discover': { result: DISCOVERED },
  'tools/list': { result: { ...TOOLS, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } },
  initialize: { error: { ...UNSUPPORTED.error, message: 'no' } },
};

/** A program that follows a script, and what is known of its processes. */
function program(script: Script) {
  let stderr = '';
  const told = (tag: string) =>
    [...stderr.matchAll(new RegExp(`^\\[${tag}\\] (.+)$`, 'gm'))].map(([, it]) => it as string);
  return {
    target: {
      command: process.execPath,
      args: ['test/interop-client/servers/scripted-stdio.mjs', JSON.stringify(script)],
      cwd: ROOT,
      onStderr: (text: string) => {
        stderr += text;
      },
    },
    /** What it was sent. Standard error is slower than standard output. */
    sent: (expected: string[]) => until(() => expect(told('got')).toEqual(expected)),
    processes: () => told('pid').length,
  };
}

describe('over stdio, a server', () => {
  // covers: 2026-07-28/discover/stdio-probe, 2026-07-28/stdio/client-probes-first
  // covers: 2026-07-28/versioning/era-is-cached
  test('that is modern needs one message', async () => {
    const { target, sent, processes } = program(NEW_SCRIPT);
    const client = await open(target);
    expect(client.revision).toBe(MODERN);
    await sent(['server/discover']);
    expect(processes()).toBe(1);
  });

  // covers: 2026-07-28/stdio/client-probes-first, 2026-07-28/stdio/fallback-on-any-error
  test.each([
    ['with an error', { error: { code: -32601, message: 'no such method' } }],
    ['with another error', { error: { code: -32600, message: 'not initialized' } }],
    ['with nonsense', { result: { hello: 'there' } }],
  ])('that answers the probe %s is greeted in the same process', async (_name, answer) => {
    const { target, sent, processes } = program({ ...OLD_SCRIPT, 'server/discover': answer });
    const client = await open(target);
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(await client.tools()).toHaveLength(1);
    await sent(['server/discover', ...HANDSHAKE, 'tools/list']);
    expect(processes()).toBe(1);
  });

  test('that is reached with wrong headers is greeted, but may be a newer one', async () => {
    const mismatch = { error: { code: -32020, message: 'Mcp-Method is missing' } };
    const { target, sent } = program({ ...OLD_SCRIPT, 'server/discover': mismatch });
    const warnings: string[] = [];
    const client = await open(target, { onWarning: warning => warnings.push(warning) });
    expect(client.revision).toBe(NEWEST_LEGACY);
    await sent(['server/discover', ...HANDSHAKE]);
    expect(client.negotiated.doubtful).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('it refused server/discover for headers')]);
  });

  // covers: 2026-07-28/stdio/fallback-on-any-error
  test('that is silent is greeted after a while, in the same process', async () => {
    const { target, sent, processes } = program({ ...OLD_SCRIPT, 'server/discover': null });
    const client = await open(target, { probeTimeoutMs: 100 });
    expect(client.revision).toBe(NEWEST_LEGACY);
    await sent(['server/discover', ...HANDSHAKE]);
    // Silence is no outcome to rely on.
    expect(client.negotiated.doubtful).toBe(true);
    expect(processes()).toBe(1);
  });

  test('that dies of the probe is started again, and greeted', async () => {
    const { target, sent, processes } = program({ ...OLD_SCRIPT, 'server/discover': 'exit' });
    const client = await open(target);
    expect(client.revision).toBe(NEWEST_LEGACY);
    expect(await client.tools()).toHaveLength(1);
    await sent(['server/discover', ...HANDSHAKE, 'tools/list']);
    expect(processes()).toBe(2);
  });

  test('that dies of everything is given up, with its last words', async () => {
    const { target, processes } = program({ 'server/discover': 'exit', initialize: 'exit' });
    const error = await refusal(connect(target));
    expect(error.attempts.map(({ what }) => what)).toEqual(['server/discover', 'initialize']);
    expect(error.message).toContain('exited with code 3');
    expect(error.message).toContain('I did not expect that');
    expect(processes()).toBe(2);
  });

  test('that does not exist is not started again', async () => {
    const error = await refusal(connect({ command: 'no-such-program-here' }));
    expect(error.message).toContain('no such command; is it installed and on PATH?');
    expect(error.attempts).toHaveLength(1);
  });

  test('that refuses the handshake as too old is probed once more', async () => {
    const discover = [{ error: { code: -32603, message: 'not ready' } }, { result: DISCOVERED }];
    const { target, sent, processes } = program({ ...NEW_SCRIPT, 'server/discover': discover });
    const client = await open(target);
    expect(client.revision).toBe(MODERN);
    await sent(['server/discover', 'initialize', 'server/discover']);
    expect(processes()).toBe(1);
  });

  test('that became modern is found out in spite of what was negotiated', async () => {
    for (const initialize of [NEW_SCRIPT.initialize, { error: { code: -32601, message: 'no' } }]) {
      const { target, sent, processes } = program({ ...NEW_SCRIPT, initialize });
      const client = await open(target, { negotiated: { revision: NEWEST_LEGACY } });
      expect(client.revision).toBe(MODERN);
      await sent(['initialize', 'server/discover']);
      expect(processes()).toBe(1);
    }
  });

  test.each([
    ['refuses', { error: { code: -32600, message: 'not initialized' } }],
    ['answers all the same', { result: TOOLS }],
  ])(
    'that became old, and %s what it does not expect, is found out in spite of what was negotiated',
    async (_name, answer) => {
      const { target } = program({ ...OLD_SCRIPT, 'early tools/list': answer });
      const client = await open(target, { negotiated: { revision: MODERN } });
      expect(await client.tools()).toHaveLength(1);
      expect(client.revision).toBe(NEWEST_LEGACY);
      expect(client.negotiated.revision).toBe(NEWEST_LEGACY);
      expect(await client.tools()).toHaveLength(1);
    },
  );

  // covers: 2026-07-28/stdio/modern-client-probes-too, 2026-07-28/versioning/modern-client-probes-stdio
  test('that does not speak a pinned revision is refused', async () => {
    const older = await refusal(connect(program(OLD_SCRIPT).target, { revision: MODERN }));
    expect(older.message).toContain('it does not speak revision 2026-07-28');
    const other = await refusal(connect(program(OLD_SCRIPT).target, { revision: '2025-03-26' }));
    expect(other.message).toContain(
      'it answered with revision 2025-11-25, not with the 2025-03-26 asked for',
    );
    const newer = await refusal(connect(program(NEW_SCRIPT).target, { revision: '2025-06-18' }));
    expect(newer.message).toContain('it does not speak revision 2025-06-18');
  });
});

/** A port where nobody listens: it is taken for the whole test, by somebody who does not answer. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

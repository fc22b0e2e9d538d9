import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { SUPPORTED_REVISIONS } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERYTHING, nodeArgs, startHttp } from '../interop-client/servers/child.js';
import { readBody, type Serving, serveHttp } from '../interop-client/servers/serving.js';
import { serveTmcp } from '../interop-client/servers/tmcp-http.js';
import { serveV1, serveV1OverSse } from '../interop-client/servers/v1-http.js';
import { serveV2, serveV2Sessions, serveV2Strict } from '../interop-client/servers/v2-http.js';
import { useBrokenServers } from './broken-servers.js';
import { type Outcome, tenon } from './run.js';
import { BISTRO_PROGRAM, badProgram, useBistro } from './servers.js';
import { KEY, Terminal } from './terminal.js';

interface Finding {
  readonly cause: string;
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly page?: string;
  readonly todo: string;
}

interface Examination {
  readonly code: number | null;
  readonly verdict: { readonly sentence: string; readonly exitCode: number };
  readonly findings: readonly Finding[];
  readonly text: string;
}

describe.concurrent('tenon doctor', () => {
  const broken = useBrokenServers();
  const bistro = useBistro();
  const closing: { close(): unknown }[] = [];
  const serve = async <S extends Serving>(serving: Promise<S>): Promise<S> => {
    closing.push(await serving);
    return serving;
  };
  let sse: Serving;
  let collecting: Serving;
  beforeAll(async () => {
    sse = await serve(serveV1OverSse());
    collecting = await serve(serveCollected(bistro));
  });
  afterAll(() => Promise.all(closing.map(serving => serving.close())));

  it.each<[string, string, number, string, () => readonly string[]]>([
    [
      'a wrong path',
      'wrong-path',
      3,
      'there is nothing at the path /wrong',
      () => [`${broken.origin}/wrong`],
    ],
    ['an HTML page', 'web-page', 3, 'a web page at this URL (“Welcome”)', () => [`${broken.origin}/page`]],
    [
      'a 401 without metadata',
      'no-metadata',
      5,
      'does not say where to get one',
      () => [`${broken.origin}/locked`],
    ],
    [
      'metadata of another audience',
      'audience-mismatch',
      5,
      'the metadata is for "https://internal.example/mcp"',
      () => [`${broken.origin}/audience`],
    ],
    [
      'a token of another audience',
      'audience-mismatch',
      5,
      'the token is for https://other.example/mcp',
      () => [`${broken.origin}/token`, '--bearer', tokenWith({ aud: 'https://other.example/mcp' })],
    ],
    [
      'a token that a server without metadata refuses',
      'token-refused',
      4,
      'the server refuses the token',
      () => [`${broken.origin}/open-with-token`, '--bearer', 'wrong'],
    ],
    [
      'a token that lacks a scope',
      'token-refused',
      4,
      'the token lacks the scope orders:write',
      () => [
        `${broken.origin}/scope`,
        '--bearer',
        tokenWith({ aud: `${broken.origin}/token`, scope: 'menu:read' }),
      ],
    ],
    [
      'an opaque token that lacks scopes',
      'token-refused',
      4,
      'the scopes that it requires: menu:read orders:write',
      () => [`${broken.origin}/scope`, '--bearer', 'opaque'],
    ],
    ['noise on stdout', 'stdout-noise', 5, 'starting the server …', () => badProgram('noisy')],
    ['a program that dies at once', 'dies', 3, 'BISTRO_KEY is not set', () => badProgram('dies')],
    [
      'a program that hangs on the probe',
      'hangs-on-probe',
      5,
      'does not answer server/discover, only initialize',
      () => ['--timeout', '6', ...badProgram('hangs on the probe')],
    ],
    [
      'a URL that hangs on the probe',
      'hangs-on-probe',
      5,
      'does not answer server/discover, only initialize',
      () => [`${broken.origin}/silent-probe`, '--timeout', '4'],
    ],
    ['a wrong Host', 'wrong-host', 3, 'refuses the Host 127.0.0.1:', () => [`${broken.origin}/host`]],
    ['expired TLS', 'tls', 3, 'the certificate has expired, on Feb  1', () => [`${broken.expired}/mcp`]],
    ['HTTP+SSE only', 'old-transport', 5, 'only the old HTTP+SSE transport', () => [`${sse.origin}/sse`]],
    [
      'an invalid schema',
      'invalid-schema',
      5,
      'tool "cut": the input schema has an unknown type "strnig" at #/properties/size/type',
      () => [`${broken.origin}/schema`],
    ],
    [
      'a lost session',
      'session-lost',
      5,
      'the session is lost right after',
      () => [`${broken.origin}/session`],
    ],
    [
      'missing CORS headers',
      'cors',
      5,
      'keep pages of https://app.example from using the server',
      () => [`${broken.origin}/mcp`, '--origin', 'https://app.example'],
    ],
    ['a redirect', 'redirect', 3, 'redirects (308) to http://', () => [`${broken.origin}/redirect`]],
    [
      'a version that nobody knows',
      'version-mismatch',
      3,
      'speaks only 2023-01-01',
      () => [`${broken.origin}/version`],
    ],
    [
      'a server that refuses every version',
      'version-mismatch',
      3,
      'refuses every revision instead of proposing one',
      () => [`${broken.origin}/refused-versions`],
    ],
    [
      'a proxy that holds back the stream of a session',
      'buffered',
      5,
      'streams are held back: nothing of the answer to GET arrives',
      () => [`${broken.origin}/collected`, '--timeout', '2'],
    ],
    [
      'a proxy that holds back the stream of a listening client',
      'buffered',
      5,
      'streams are held back: nothing of the answer to subscriptions/listen arrives',
      () => [`${collecting.origin}/mcp`, '--timeout', '2'],
    ],
    [
      'a port where nothing listens',
      'unreachable',
      3,
      'nothing listens on port 9',
      () => ['http://127.0.0.1:9/mcp'],
    ],
    ['a program that does not exist', 'cannot-start', 3, 'no program "no-such"', () => ['--', 'no-such']],
    [
      'a server that is silent',
      'no-answer',
      6,
      'does not answer',
      () => [`${broken.origin}/silent`, '--timeout', '1'],
    ],
    ['a proxy that fails', 'server-error', 3, 'fails (502)', () => [`${broken.origin}/failing`]],
  ])('names %s as the cause, and what to do', async (_, cause, code, title, args) => {
    const examination = await examine(args());
    const [first] = examination.findings;
    expect(first, examination.text).toMatchObject({ cause, severity: 'error' });
    expect(first?.title).toContain(title);
    expect(first?.todo).toMatch(/^[A-Z].*\.$/s);
    expect(examination.verdict.sentence).toContain(title);
    expect(examination.code).toBe(code);
  });

  it.each<[string, readonly string[], () => Promise<string>]>([
    ['Tenon', [], async () => bistro.url],
    ['the official SDK v1', ['session-rules', 'any-origin'], async () => pathOf(serve(serveV1()))],
    ['the official SDK v2', ['any-origin'], async () => pathOf(serve(serveV2()))],
    ['the official SDK v2, newest revision only', ['any-origin'], async () => pathOf(serve(serveV2Strict()))],
    [
      'the official SDK v2, with sessions',
      ['session-rules', 'any-origin'],
      async () => pathOf(serve(serveV2Sessions())),
    ],
    ['tmcp', ['session-rules', 'any-origin'], async () => pathOf(serve(serveTmcp()))],
    [
      'server-everything',
      ['session-rules', 'any-origin'],
      async () => pathOf(serve(startHttp(EVERYTHING, 'streamableHttp'))),
    ],
    ['fastmcp', ['any-origin'], async () => pathOf(serve(startHttp('fastmcp-http.ts')))],
  ])('finds nothing that keeps clients from using a server of %s over HTTP', async (_, warnings, start) => {
    const { code, findings, text } = await examine([await start()]);
    // They are right: what these servers accept or answer is not what the specification demands.
    expect(
      findings.map(({ cause }) => cause),
      text,
    ).toEqual(warnings);
    expect(findings.every(({ severity, page }) => severity === 'warning' && page)).toBe(true);
    expect(code).toBe(0);
  });

  it.each<[string, readonly string[]]>([
    ['Tenon', BISTRO_PROGRAM],
    ['the official SDK v1', program('v1-stdio.ts')],
    ['the official SDK v2', program('v2-stdio.ts')],
    ['tmcp', program('tmcp-stdio.ts')],
    ['server-everything', program(EVERYTHING)],
  ])('finds nothing wrong with a server of %s over stdio', async (_, args) => {
    const { code, findings, verdict } = await examine(['--timeout', '30', ...args]);
    expect({ code, findings }).toEqual({ code: 0, findings: [] });
    expect(verdict.sentence).toBe('nothing is wrong with this server');
  });

  it('says that a sign-in is needed if everything for it is in place', async () => {
    const { code, findings, verdict, text } = await examine([`${broken.origin}/token`]);
    expect({ code, findings }).toEqual({ code: 4, findings: [] });
    expect(verdict.sentence).toContain('a sign-in is needed');
    for (const part of ['dynamic registration', 'menu:read', 'oauth-authorization-server/issuer']) {
      expect(text).toContain(part);
    }
  });

  it('finds the right URL for a wrong path, and for a redirect', async () => {
    const outcomes = await Promise.all(
      ['/wrong', '/page', '/redirect'].map(path => examine([broken.origin + path])),
    );
    for (const { findings } of outcomes) expect(findings[0]?.todo).toContain(`Use ${broken.origin}/mcp`);
  });

  it('advises to pass on requests where a web application answers at /mcp', async () => {
    const { findings } = await examine([`${broken.application}/mcp`]);
    expect(findings).toMatchObject([{ cause: 'web-page' }]);
    expect(findings[0]?.todo).toContain('let POST requests to /mcp reach it');
    expect(findings[0]?.todo).not.toContain('it often ends with /mcp');
    const elsewhere = await examine([`${broken.application}/`]);
    expect(elsewhere.findings[0]?.todo).toContain('it often ends with /mcp');
  });

  it('says in the report that there is no connection', async () => {
    const { stdout } = await tenon(['doctor', 'http://127.0.0.1:9/mcp']);
    expect(stdout).toMatch(/✗ no connection to 127\.0\.0\.1:9 {2}connect ECONNREFUSED/);
    expect(stdout).not.toContain('accepts connections');
  });

  it('says what to do about a program that ends without a word', async () => {
    const silent = await examine(['--', process.execPath, '-e', 'process.exit(7)']);
    expect(silent.findings[0]).toMatchObject({
      cause: 'dies',
      title: 'the program exited with code 7 before it answered',
      todo: expect.stringContaining('Run the program by itself'),
    });
    const loud = await examine(badProgram('dies'));
    expect(loud.findings[0]?.todo).toContain('Correct what the program reports');
  });

  it('says the message of the error that ended a program, not what Node prints after it', async () => {
    const { findings } = await examine(['--', process.execPath, '/nowhere/server.mjs']);
    expect(findings[0]?.title).toMatch(/before it answered: Error: Cannot find module '.*server\.mjs'$/);
  });

  it('lists the revisions that answer as data', async () => {
    const { text } = await examine([bistro.url]);
    expect(JSON.parse(text).revisions).toEqual(SUPPORTED_REVISIONS);
  });

  it('names the page of the specification', async () => {
    const { findings } = await examine([`${broken.origin}/schema`]);
    expect(findings[0]?.page).toBe(
      'https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool',
    );
  });

  it('finds sessions that only one of several processes knows', async () => {
    const { findings } = await examine([`${broken.origin}/balanced`]);
    expect(findings[0]?.title).toBe('the session is lost in 2 of 4 requests');
  });

  it('examines a server with a token that it accepts', async () => {
    const { code, verdict, text } = await examine([`${broken.origin}/open-with-token`, '--bearer', 'menu']);
    expect(code).toBe(0);
    expect(verdict.sentence).toContain('the server works');
    expect(text).toContain('the token is accepted');
    expect(text).not.toContain('menu');
  });

  it('does not send a token in clear text to another machine', async () => {
    const { code, stderr } = await tenon(['doctor', 'http://bistro.invalid/mcp', '--bearer', 'menu']);
    expect(code).toBe(2);
    expect(stderr).toContain('clear text');
    expect(stderr).toContain('next: Use https://');
  });

  it('ends every session that it has opened, and calls no tool', async () => {
    const seen = await recordingServer();
    closing.push(seen);
    const { code } = await examine([`${seen.origin}/mcp`]);
    expect(code).toBe(0);
    expect(seen.opened.size).toBeGreaterThan(2);
    expect(seen.ended).toEqual(seen.opened);
    expect(seen.methods).not.toContain('tools/call');
  });

  it('prints sections, marks, and at the end what to do', async () => {
    const { code, stdout, stderr } = await tenon(['doctor', `${broken.origin}/session`]);
    expect({ code, stderr }).toEqual({ code: 5, stderr: '' });
    expect(stdout).toMatch(/^Revisions\n {2}· 2026-07-28 {2}server\/discover: 400 .* \d+ ms$/m);
    expect(stdout).toMatch(/^ {2}✓ 2025-06-18 {2}initialize, with a session +\d+ ms$/m);
    expect(stdout).toMatch(/^Verdict\n {2}✗ the session is lost right after initialize/m);
    expect(stdout).toMatch(/^What to do\n {2}→ {2}If the server runs as several processes/m);
    expect(stdout).toContain(
      'https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session',
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it.each([
    [['2026-07-28', '2025-11-25'], '2025-06-18, 2025-03-26, 2024-11-05'],
    [['2026-07-28'], '2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05'],
    [['2025-06-18'], '2026-07-28, 2025-11-25, 2025-03-26, 2024-11-05'],
  ])('says what is off if a server speaks only %s', async (revisions, off) => {
    const narrow = await listen(new Server({ name: 'narrow', version: '1.0.0' }), { port: 0, revisions });
    closing.push(narrow);
    const program = `import { Server } from 'tenon';
      import { serveStdio } from 'tenon/stdio';
      serveStdio(new Server({ name: 'narrow', version: '1.0.0' }), { revisions: ${JSON.stringify(revisions)} });`;
    for (const target of [[narrow.url], ['--', process.execPath, '--input-type=module', '-e', program]]) {
      // A program that takes long to start is not started for each revision.
      const { code, text } = await examine(['--timeout', '200', ...target]);
      expect(code, text).toBe(0);
      expect(text).toContain(`${off}: clients that speak nothing else cannot use the server`);
    }
  });

  it('says nothing of revisions that are off if all are on', async () => {
    expect((await examine([bistro.url])).text).not.toContain('clients that speak nothing else');
  });

  it('uses colours in a terminal, and fits its width', async () => {
    const terminal = new Terminal(['doctor', bistro.url], { columns: 70 });
    expect(await terminal.exited).toBe(0);
    expect(terminal.raw).toContain('\x1b[32m✓\x1b[39m');
    const lines = terminal.raw.split('\n').map(line => line.split('\r').findLast(part => part !== '') ?? '');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is removed
    const widths = lines.map(line => [...line.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, '')].length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(70);
  });

  it('ends the program at Ctrl+C', async () => {
    const program = [
      'node',
      '-e',
      'console.error(process.pid); process.stdin.resume(); setInterval(() => {}, 1000)',
    ];
    let pid = 0;
    const outcome = tenon(['doctor', '--verbose', '--', ...program], {
      onStderr: (stderr, kill) => {
        pid = Number(/\d+/.exec(stderr)?.[0]);
        kill('SIGINT');
      },
    });
    expect((await outcome).code).toBe(130);
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('stops at Ctrl+C, in the middle of a probe', async () => {
    const terminal = new Terminal(['doctor', `${broken.origin}/silent`]);
    await terminal.sees('accepts connections');
    terminal.type(KEY.ctrlC);
    expect(await terminal.exited).toBe(130);
  });
});

async function examine(args: readonly string[]): Promise<Examination> {
  const { code, stdout, stderr }: Outcome = await tenon(['doctor', '--json', ...args]);
  expect(stderr).toBe('');
  const { verdict, findings } = JSON.parse(stdout);
  expect(verdict.exitCode).toBe(code);
  return { code, verdict, findings, text: stdout };
}

function program(script: string): string[] {
  return ['--', process.execPath, ...nodeArgs(script)];
}

async function pathOf(serving: Promise<Serving>): Promise<string> {
  return `${(await serving).origin}/mcp`;
}

/** A token without a valid signature: what it says about itself can be read all the same. */
function tokenWith(claims: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.signature`;
}

/** A proxy that passes on a response when it has all of it. */
function serveCollected(server: { readonly url: string }): Promise<Serving> {
  return serveHttp(async (request, response) => {
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    try {
      const body = await readBody(request);
      const answer = await fetch(server.url, {
        method: request.method as string,
        headers: headers as Record<string, string>,
        ...(body && { body }),
        signal: gone.signal,
      });
      const text = await answer.text();
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
    } catch {
      // The client has gone.
    }
  });
}

/** A proxy in front of a server with sessions that remembers what passes. */
async function recordingServer() {
  const [opened, ended] = [new Set<string>(), new Set<string>()];
  const methods: string[] = [];
  const inner = await serveV1();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    if (body) methods.push(JSON.parse(body).method);
    if (request.method === 'DELETE') ended.add(String(request.headers['mcp-session-id']));
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const answer = await fetch(`${inner.origin}${request.url}`, {
      method: request.method as string,
      headers: headers as Record<string, string>,
      ...(body && { body }),
    });
    const session = answer.headers.get('mcp-session-id');
    if (session && body.includes('"initialize"')) opened.add(session);
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'text/plain',
      ...(session && { 'mcp-session-id': session }),
    });
    // A stream for messages of the server stays open; nothing comes on it here.
    if (request.method === 'GET') return void response.flushHeaders();
    response.end(await answer.text());
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  return {
    opened,
    ended,
    methods,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await inner.close();
    },
  };
}

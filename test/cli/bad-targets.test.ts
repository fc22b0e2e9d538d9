import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Outcome, tenon } from './run.js';
import { badProgram } from './servers.js';

const SCOPE_CHALLENGE = 'Bearer error="insufficient_scope", scope="orders:write"';

/** Web servers that are no MCP servers, each in one way. */
const PAGES: Record<string, RequestListener> = {
  '/page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  '/missing': (_, response) => response.writeHead(404).end('nothing here'),
  '/locked': (_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  '/scope': (_, response) => response.writeHead(403, { 'www-authenticate': SCOPE_CHALLENGE }).end(),
  '/broken': (_, response) => response.writeHead(502).end('bad gateway'),
  '/silent': () => {},
};

describe.concurrent('a target that', () => {
  let web: Server;
  let origin: string;
  beforeAll(async () => {
    web = createServer((request, response) => PAGES[request.url ?? '']?.(request, response));
    await new Promise<void>(listening => web.listen(0, '127.0.0.1', listening));
    origin = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    web.closeAllConnections();
    web.close();
  });

  it.each([
    ['is a web page', '/page', 3, 'text/html', 'tenon doctor'],
    ['is not there', '/missing', 3, '404', 'tenon doctor'],
    ['needs a sign-in', '/locked', 4, 'requires a sign-in or a token', '--sign-in'],
    ['has trouble of its own', '/broken', 3, '502', 'tenon doctor'],
    ['never answers', '/silent', 6, 'did not answer within 1 s', '--timeout'],
  ])('%s is explained, with the next step', async (_, path, code, message, next) => {
    const args = [`${origin}${path}`, '--timeout', path === '/silent' ? '1' : '30'];
    expectExplained(await tenon(['list', ...args]), code, message, next);
  });

  it('is out of reach is explained, with the next step', async () => {
    expectExplained(await tenon(['list', 'http://127.0.0.1:9/mcp']), 3, 'ECONNREFUSED', 'tenon doctor');
  });

  it('refuses the token asks for another one', async () => {
    const outcome = await tenon(['list', `${origin}/locked`], { env: { TENON_BEARER: 'old' } });
    expectExplained(outcome, 4, 'refuses the token', '--bearer');
  });

  it('refuses the token for its scopes names them', async () => {
    const outcome = await tenon(['list', `${origin}/scope`, '--bearer', 'narrow']);
    expectExplained(outcome, 4, 'the server requires orders:write', 'a token with these scopes');
  });

  it.each([
    ['is no MCP server', 'no server', 3, 'exited with code 0', 'tenon doctor'],
    ['dies at once', 'dies', 3, 'BISTRO_KEY is not set', 'tenon doctor'],
    ['never writes anything', 'silent', 6, 'did not answer within 1 s', '--timeout'],
  ])('is a program and %s is explained, with the next step', async (_, way, code, message, next) => {
    const limit = way === 'silent' ? '1' : '30';
    expectExplained(await tenon(['list', '--timeout', limit, ...badProgram(way)]), code, message, next);
  });

  it.each([
    ['dies', 'dies in a call', 3, 'out of memory', 'tenon doctor'],
    ['hangs', 'hangs in a call', 6, 'was not answered', '--timeout'],
  ])('%s in a call is explained, with the next step', async (_, way, code, message, next) => {
    const limit = way === 'hangs in a call' ? '3' : '30';
    expectExplained(
      await tenon(['call', 'hello', '--timeout', limit, ...badProgram(way)]),
      code,
      message,
      next,
    );
  });

  it('is a program that does not exist is explained, with the next step', async () => {
    expectExplained(await tenon(['list', '--', 'no-such-program']), 3, 'no such command', 'tenon doctor');
  });

  it('has no prompts or resources is explained, without words of the SDK', async () => {
    const bad = badProgram('logging');
    expectExplained(await tenon(['prompt', 'plan', ...bad]), 2, 'no prompt "plan"', 'no prompts at all');
    expectExplained(
      await tenon(['complete', 'plan', 'day', 'f', ...bad]),
      2,
      'no prompt',
      'no prompts at all',
    );
    const { stderr } = await tenon(['read', 'menu://friday', ...bad]);
    expect(stderr).not.toContain('client.server');
  });

  it('is a URL of another scheme is explained, with the next step', async () => {
    expectExplained(await tenon(['list', 'ftp://bistro.example']), 2, 'no URL of an MCP server', 'https://');
  });

  it('cannot be shown because the port is taken is explained, with the next step', async () => {
    const { port } = new URL(origin);
    const outcome = await tenon(['open', `${origin}/page`, '--no-open', '--port', port]);
    expectExplained(outcome, 3, `cannot listen on port ${port}`, '--port PORT');
  });

  it('floods standard error is used all the same, and its noise is not shown', async () => {
    const { code, stdout, stderr } = await tenon(['call', 'hello', ...badProgram('floods')]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'done\n', stderr: '' });
  });

  it('prints on standard output is used all the same, with a few warnings', async () => {
    const { code, stdout, stderr } = await tenon(['call', 'hello', ...badProgram('noisy')]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' });
    expect(stderr).toContain('warning: skipped a line');
    expect(stderr.split('\n').length).toBeLessThan(8);
  });

  it('fails is reported as JSON with --json, and nothing else is printed', async () => {
    const { code, stdout } = await tenon(['list', '--json', `${origin}/locked`]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout).error).toMatchObject({
      kind: 'cannot-connect',
      message: expect.stringContaining('401'),
      next: expect.stringContaining('--sign-in'),
    });
  });
});

function expectExplained(
  { code, stdout, stderr }: Outcome,
  exitCode: number,
  message: string,
  next: string,
): void {
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  expect(stderr).toMatch(/^error: /m);
  expect(stderr).toContain(message);
  expect(stderr.split('\nnext: ')[1]).toContain(next);
  expect(stderr).not.toMatch(/^ +at /m);
}

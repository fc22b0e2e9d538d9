import { once } from 'node:events';
import { get, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { UsageError } from '../../../src/base/errors.js';
import { AccessError } from '../../../src/client/auth/errors.js';
import type { LoopbackOptions, Redirection } from '../../../src/client/auth/redirect.js';
import { loopback } from '../../../src/node/client/auth/loopback.js';
import { runFixture } from './run-fixture.js';

const STATE = 'k3fJx-_9';
const PAGE = new URL(`https://as.example/authorize?client_id=1&state=${STATE}`);
const never = new AbortController().signal;

const cleanUp: (() => unknown)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step();
});

async function prepare(options: LoopbackOptions = {}, known?: string): Promise<Redirection> {
  const redirection = await loopback({ open: () => {}, ...options }).prepare(known);
  cleanUp.push(() => redirection.close());
  return redirection;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

async function send(uri: string, options: RequestOptions = {}): Promise<Answer> {
  const sent = request(uri, { agent: false, ...options }).end();
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** A port that something else listens on. */
async function takenPort(): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  cleanUp.push(() => other.close());
  return (other.address() as AddressInfo).port;
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await new Promise(resolve => other.close(resolve));
  return port;
}

describe('the address of a loopback redirect', () => {
  // covers: 2025-06-18/authorization/redirect-uri-is-localhost-or-https
  test('is on this machine, with any port', async () => {
    const { uri } = await prepare();
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(uri).not.toBe((await prepare()).uri);
  });

  test('has the port and path that are asked for', async () => {
    const port = await freePort();
    const { uri } = await prepare({ port, path: '/signed-in' });
    expect(uri).toBe(`http://127.0.0.1:${port}/signed-in`);
  });

  test('is the known one if its port is free, also if another port is asked for', async () => {
    const known = `http://127.0.0.1:${await freePort()}/callback`;
    for (const options of [{}, { port: await freePort() }]) {
      const redirection = await prepare(options, known);
      expect(redirection.uri).toBe(known);
      await redirection.close();
    }
  });

  test('is another one if the known port is taken', async () => {
    const known = `http://127.0.0.1:${await takenPort()}/callback`;
    const { uri } = await prepare({}, known);
    expect(uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(uri).not.toBe(known);
    const port = await freePort();
    expect((await prepare({ port }, known)).uri).toBe(`http://127.0.0.1:${port}/callback`);
  });

  test.each([
    'http://127.0.0.1:PORT/other',
    'http://127.0.0.1:PORT/callback?x',
    'http://localhost:PORT/callback',
    'https://127.0.0.1:PORT/callback',
    'http://bistro.example:PORT/callback',
    'http://127.0.0.1:99999/callback',
    'com.example:/callback',
    'nonsense',
    '',
  ])('is not like %s, which was made by something else', async known => {
    const port = await freePort();
    const { uri } = await prepare({ port }, known.replace('PORT', `${await freePort()}`));
    expect(uri).toBe(`http://127.0.0.1:${port}/callback`);
  });

  test('cannot have a port that is taken, which says what to do', async () => {
    const port = await takenPort();
    const error = await prepare({ port }).catch(thrown => thrown);
    expect(error).toBeInstanceOf(AccessError);
    expect(error.message).toBe(
      `cannot receive the user on 127.0.0.1:${port}: the port is taken; stop the other program, or leave the port out to use any free one`,
    );
    await expect(prepare({ port }, `http://127.0.0.1:${port}/callback`)).rejects.toThrow('the port is taken');
  });

  test.each([
    { port: -1 },
    { port: 65_536 },
    { port: 1.5 },
    { path: 'callback' },
    { path: '' },
    { path: '/a b' },
    { path: '/a?b' },
    { path: '/a#b' },
    { path: '/a/../b' },
    { path: '@bistro.example/' },
  ])('is checked: %j', options => {
    expect(() => loopback(options)).toThrow(UsageError);
  });
});

describe('a visit', () => {
  test('opens the page, and resolves with the address at which the user comes back', async () => {
    const opened: URL[] = [];
    const redirection = await prepare({
      open(url) {
        opened.push(url);
        get(`${redirection.uri}?code=a%26b&state=${STATE}&iss=https%3A%2F%2Fas.example`).on('response', r =>
          r.resume(),
        );
      },
    });
    const back = await redirection.visit(PAGE, never);
    expect(opened).toEqual([PAGE]);
    expect(back?.href).toBe(`${redirection.uri}?code=a%26b&state=${STATE}&iss=https%3A%2F%2Fas.example`);
  });

  test('answers with a page that nobody keeps, and that has nothing of the request', async () => {
    const redirection = await prepare();
    const visit = redirection.visit(PAGE, never);
    const { status, headers, body } = await send(`${redirection.uri}?code=c0de<script>&state=${STATE}`, {
      headers: { 'user-agent': 'agent-text', referer: 'https://referer-text.example/' },
    });
    await visit;
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    expect(body).toContain('You are signed in');
    for (const part of ['c0de', 'script', STATE, 'agent-text', 'referer-text'])
      expect(body).not.toContain(part);
  });

  test('tells the user if it did not work', async () => {
    const redirection = await prepare();
    const visit = redirection.visit(PAGE, never);
    const query = `?error=access_denied&error_description=reflected&state=${STATE}`;
    const { status, body } = await send(redirection.uri + query);
    expect((await visit)?.search).toBe(query);
    expect(status).toBe(200);
    expect(body).toContain('You are not signed in');
    expect(body).not.toContain('reflected');
  });

  test('answers with pages of the program’s own', async () => {
    const redirection = await prepare({ html: { success: '<p>yes', failure: '<p>no' } });
    const bodies: string[] = [];
    for (const query of ['code=1', 'error=server_error']) {
      const visit = redirection.visit(PAGE, never);
      bodies.push((await send(`${redirection.uri}?${query}&state=${STATE}`)).body);
      await visit;
    }
    expect(bodies).toEqual(['<p>yes', '<p>no']);
  });

  test('takes each user only once, and knows several apart', async () => {
    const redirection = await prepare();
    const visits = ['one', 'two'].map(state =>
      redirection.visit(new URL(`https://as.example/authorize?state=${state}`), never),
    );
    expect((await send(`${redirection.uri}?code=2&state=two`)).status).toBe(200);
    expect((await send(`${redirection.uri}?code=3&state=two`)).status).toBe(400);
    expect((await send(`${redirection.uri}?code=1&state=one`)).status).toBe(200);
    const back = await Promise.all(visits);
    expect(back.map(url => url?.searchParams.get('code'))).toEqual(['1', '2']);
  });

  test('does not wait until the browser has opened', async () => {
    const redirection = await prepare({ open: () => new Promise<void>(() => {}) });
    const visit = redirection.visit(PAGE, never);
    await send(`${redirection.uri}?code=1&state=${STATE}`);
    expect((await visit)?.searchParams.get('code')).toBe('1');
  });

  const good = `/callback?code=1&state=${STATE}`;
  const cases: [string, number, { path?: string; method?: string; host?: string }][] = [
    ['another state', 400, { path: '/callback?code=1&state=other' }],
    ['no state', 400, { path: '/callback?code=1' }],
    ['no query', 400, { path: '/callback' }],
    ['an empty state', 400, { path: '/callback?code=1&state=' }],
    ['the state in another case', 400, { path: `/callback?code=1&state=${STATE.toUpperCase()}` }],
    ['a part of the state', 400, { path: `/callback?code=1&state=${STATE.slice(0, -1)}` }],
    ['the state twice', 400, { path: `${good}&state=${STATE}` }],
    ['two states', 400, { path: `${good}&state=other` }],
    ['an error without the state', 400, { path: '/callback?error=access_denied' }],
    ['the name of a member', 400, { path: '/callback?code=1&state=__proto__' }],
    ['another path', 404, { path: `/other?code=1&state=${STATE}` }],
    ['a longer path', 404, { path: `/callback/?code=1&state=${STATE}` }],
    ['a path that another one hides', 404, { path: `/x/../callback?code=1&state=${STATE}` }],
    ['an encoded path', 404, { path: `/%63allback?code=1&state=${STATE}` }],
    ['a whole address', 404, { path: `http://evil.example/callback?code=1&state=${STATE}` }],
    ['an address without a scheme', 404, { path: `//evil.example/callback?code=1&state=${STATE}` }],
    ['an icon', 404, { path: '/favicon.ico' }],
    ['POST', 405, { method: 'POST' }],
    ['HEAD', 405, { method: 'HEAD' }],
    ['OPTIONS', 405, { method: 'OPTIONS' }],
    ['the host of another page', 400, { host: 'evil.example' }],
    ['the host of another page with the port', 400, { host: 'evil.example:PORT' }],
    ['a host that begins alike', 400, { host: '127.0.0.1.evil.example:PORT' }],
    ['another name of this machine', 400, { host: 'localhost:PORT' }],
    ['another port', 400, { host: '127.0.0.1:1' }],
    ['no port', 400, { host: '127.0.0.1' }],
  ];
  test.each(cases)('goes on after a request with %s', async (_, status, { path = good, method, host }) => {
    const redirection = await prepare();
    const visit = redirection.visit(PAGE, never);
    const { port } = new URL(redirection.uri);
    const answer = await send(redirection.uri, {
      path,
      ...(method && { method }),
      headers: { host: (host ?? '127.0.0.1:PORT').replace('PORT', port) },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(answer.headers.allow).toBe(status === 405 ? 'GET' : undefined);
    expect(answer.body).toBe(method === 'HEAD' ? '' : 'Nothing is expected here.\n');
    expect((await send(`http://127.0.0.1:${port}/callback?code=real&state=${STATE}`)).status).toBe(200);
    expect((await visit)?.searchParams.get('code')).toBe('real');
  });

  test('takes nobody who comes before it begins', async () => {
    const redirection = await prepare();
    expect((await send(`${redirection.uri}?code=1&state=${STATE}`)).status).toBe(400);
  });

  test('needs a page with a state', async () => {
    const opened: URL[] = [];
    const redirection = await prepare({ open: url => void opened.push(url) });
    for (const page of ['https://as.example/authorize', 'https://as.example/authorize?state=']) {
      await expect(redirection.visit(new URL(page), never)).rejects.toThrow('needs a state');
    }
    expect(opened).toEqual([]);
  });

  test('ends if the user does not come back in time', async () => {
    const redirection = await prepare({ timeoutMs: 5 });
    const error = await problemOf(redirection.visit(PAGE, never));
    expect(error.message).toBe('the user did not come back within 0.005 s; sign in again');
    expect((await send(`${redirection.uri}?code=1&state=${STATE}`)).status).toBe(400);
  });

  test('may wait longer than a timer can', async () => {
    const redirection = await prepare({ timeoutMs: Number.POSITIVE_INFINITY });
    const visit = redirection.visit(PAGE, never);
    await send(`${redirection.uri}?code=1&state=other`);
    await send(`${redirection.uri}?code=1&state=${STATE}`);
    expect((await visit)?.searchParams.get('code')).toBe('1');
  });

  test('ends if it is cancelled', async () => {
    const redirection = await prepare();
    const controller = new AbortController();
    const visit = redirection.visit(PAGE, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    const error = await problemOf(visit);
    expect(error.message).toBe('the sign-in was cancelled');
    expect(error.cause).toBe(reason);
    expect((await send(`${redirection.uri}?code=1&state=${STATE}`)).status).toBe(400);
  });

  test('opens nothing if it is cancelled before, or closed', async () => {
    const opened: URL[] = [];
    const redirection = await prepare({ open: url => void opened.push(url) });
    await problemOf(redirection.visit(PAGE, AbortSignal.abort()));
    await redirection.close();
    await problemOf(redirection.visit(PAGE, never));
    expect(opened).toEqual([]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no display');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no display'))],
  ])('ends if what opens the page %s', async (_, open) => {
    const redirection = await prepare({ open });
    await expect(redirection.visit(PAGE, never)).rejects.toThrow('no display');
  });
});

describe('closing', () => {
  test('ends the visit and all connections at once, and frees the port', async () => {
    const redirection = await prepare();
    const { port } = new URL(redirection.uri);
    const visit = problemOf(redirection.visit(PAGE, never));
    const sockets = await Promise.all(
      ['', 'GET /callback?code=1', 'POST /callback HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'].map(
        start => connected(Number(port), start),
      ),
    );
    const ended = sockets.map(socket => new Promise(resolve => socket.once('close', resolve)));
    await redirection.close();
    await Promise.all(ended);
    expect((await visit).message).toBe('the sign-in was ended before the user came back');
    expect((await prepare({ port: Number(port) })).uri).toBe(redirection.uri);
    await redirection.close();
  });

  test('lets a user who came back see the page', async () => {
    const redirection = await prepare();
    const visit = redirection.visit(PAGE, never).then(() => redirection.close());
    const { body } = await send(`${redirection.uri}?code=1&state=${STATE}`);
    await visit;
    expect(body).toContain('</html>');
  });

  test.each([
    ['a user came back', 'return', '?code=1&state=s'],
    ['it was cancelled', 'abort', 'denied'],
  ])('leaves nothing that keeps the process alive after %s', async (_, how, outcome) => {
    expect(await runFixture('sign-in.ts', [how])).toBe(`${outcome}\n`);
  });
});

async function connected(port: number, start: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  cleanUp.push(() => socket.destroy());
  await once(socket, 'connect');
  if (start !== '') await new Promise(resolve => socket.write(start, resolve));
  // What arrives is not of interest, but has to be read for the end to be seen.
  return socket.resume();
}

async function problemOf(visit: Promise<unknown>): Promise<AccessError> {
  const thrown = await visit.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(AccessError);
  expect((thrown as AccessError).problem).toBe('denied');
  return thrown as AccessError;
}

describe('where no browser can be opened', () => {
  test('the address is shown, and the user is received all the same', async () => {
    const { PATH } = process.env;
    process.env.PATH = '/nowhere';
    cleanUp.push(() => {
      process.env.PATH = PATH;
    });
    const shown = new Promise<string>(resolve => {
      vi.spyOn(console, 'error').mockImplementationOnce(resolve);
    });
    const redirection = await loopback().prepare(undefined);
    cleanUp.push(() => redirection.close());
    const back = redirection.visit(PAGE, never);
    expect(await shown).toContain(PAGE.href);
    await send(`${redirection.uri}?state=${STATE}&code=1`);
    expect((await back)?.searchParams.get('code')).toBe('1');
  });
});

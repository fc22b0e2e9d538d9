import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccessError } from '../../../src/client/auth/errors.js';
import {
  createGuardedFetch,
  type FetchRules,
  type GuardedFetch,
} from '../../../src/client/auth/guarded-fetch.js';
import { createPinnedFetch, type LookupAll } from '../../../src/node/client/auth/pinned-fetch.js';
import { ConnectionError } from '../../../src/protocol/failures.js';
import { CERTIFICATE } from './certificate.js';
import {
  fetchBlindly,
  type Hostile,
  isDeserted,
  later,
  lookupIn,
  startRaw,
  startServer,
  untilTestEnds,
} from './hostile-servers.js';

const STRICT: FetchRules = { allowLoopback: false, allowPrivate: false };
const LOCAL: FetchRules = { allowLoopback: true, allowPrivate: false };
const OPEN: FetchRules = { allowLoopback: false, allowPrivate: true };
const MAX_BYTES = 1024 * 1024;

function pinned(rules: FetchRules, lookup: LookupAll = lookupIn()): GuardedFetch {
  return createPinnedFetch(rules, { lookup, ca: CERTIFICATE });
}

function guarded(rules: FetchRules, lookup?: LookupAll): GuardedFetch {
  return createGuardedFetch(pinned(rules, lookup), rules);
}

/** Rejects as authorization does, with a problem and a message. */
async function expectRefusal(promise: Promise<unknown>, problem: string, message: RegExp): Promise<void> {
  const error = await promise.then(
    () => expect.unreachable('it was not refused'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AccessError);
  expect(error).toMatchObject({ problem, message: expect.stringMatching(message) });
}

async function expectFailure(promise: Promise<unknown>): Promise<ConnectionError> {
  const error = await promise.then(
    () => expect.unreachable('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConnectionError);
  return error as ConnectionError;
}

/** What must not be reached: it has an address of this machine, in both families and with and without TLS. */
let victim: Hostile;
let victim6: Hostile;
let plainVictim: Hostile;
/** Stands for a server of the public internet. It redirects to what its URL says. */
let attacker: Hostile;
let otherAttacker: Hostile;

beforeAll(async () => {
  victim = await startServer();
  victim6 = await startServer(undefined, { host: '::1' });
  plainVictim = await startServer(undefined, { isPlain: true });
  const redirect: Parameters<typeof startServer>[0] = (request, response) => {
    const { searchParams } = new URL(request.url as string, 'http://unused');
    const location = searchParams.get('to');
    if (location === null) response.end('{}');
    else response.writeHead(Number(searchParams.get('status') ?? 302), { location }).end();
  };
  attacker = await startServer(redirect);
  otherAttacker = await startServer(redirect);
});

afterAll(() =>
  Promise.all([victim, victim6, plainVictim, attacker, otherAttacker].map(server => server.close())),
);

afterEach(() => {
  for (const server of [victim, victim6, plainVictim, attacker, otherAttacker]) server.requests.length = 0;
});

function victimRequests(): number {
  return victim.requests.length + victim6.requests.length + plainVictim.requests.length;
}

/** Puts in the ports of the victims. */
function withPorts(url: string): string {
  return url
    .replace('PORT6', String(victim6.port))
    .replace('PLAIN', String(plainVictim.port))
    .replace('PORT', String(victim.port));
}

describe('a URL that leads to a private address', () => {
  const ATTACKS: [url: string, names?: Record<string, string[]>][] = [
    ['https://127.0.0.1:PORT/'],
    ['https://127.0.0.1.:PORT/'],
    ['https://127.1:PORT/'],
    ['https://127.0.1:PORT/'],
    ['https://0x7f.1:PORT/'],
    ['https://0x7f000001:PORT/'],
    ['https://0177.0.0.1:PORT/'],
    ['https://017700000001:PORT/'],
    ['https://2130706433:PORT/'],
    ['https://%31%32%37.0.0.1:PORT/'],
    ['https://１２７.0.0.1:PORT/'],
    ['https://①②⑦.0.0.1:PORT/'],
    ['https://127。0。0。1:PORT/'],
    ['https://1\n27.0.0.1:PORT/'],
    ['https://0:PORT/'],
    ['https://0.0.0.0:PORT/'],
    ['https://[::1]:PORT6/'],
    ['https://[0:0:0:0:0:0:0:1]:PORT6/'],
    ['https://[::]:PORT6/'],
    ['https://[::ffff:127.0.0.1]:PORT/'],
    ['https://[::ffff:7f00:1]:PORT/'],
    ['https://[0:0:0:0:0:FFFF:7F00:0001]:PORT/'],
    ['https://localhost:PORT/'],
    ['https://LOCALHOST:PORT/'],
    ['https://ⓛocalhost:PORT/'],
    ['https://localhost.:PORT/'],
    ['https://a.localhost:PORT/'],
    ['http://localhost:PLAIN/'],
    ['http://127.0.0.1:PLAIN/'],
    ['https:127.0.0.1:PORT/'],
    ['https:\\\\127.0.0.1:PORT/'],
    ['https://keycloak:PORT/'],
    ['https://sso.internal:PORT/'],
    ['https://victim.example:PORT/'],
    ['https://victim.example.:PORT/'],
    ['https://victim.example:PORT6/', { 'victim.example': ['::1'] }],
    ['https://victim.example:PORT/', { 'victim.example': ['::ffff:127.0.0.1'] }],
    ['https://victim.example:PORT/', { 'victim.example': ['0.0.0.0'] }],
    // The first is used; the second is for when the first was checked.
    ['https://mixed.example:PORT/', { 'mixed.example': ['127.0.0.1', '1.1.1.1'] }],
    ['https://mixed.example:PORT6/', { 'mixed.example': ['::1', '2606:4700:4700::1111', '1.1.1.1'] }],
  ];

  // covers: 2025-06-18/security/client-considers-ssrf, 2025-06-18/security/private-addresses-are-blocked
  it.each(ATTACKS)('is refused: %j %j', async (url, names) => {
    const target = withPorts(url);
    await expectRefusal(guarded(STRICT, lookupIn(names))(target), 'address', /allowPrivateAddresses: true/);
    expect(victimRequests()).toBe(0);
  });

  it.each(ATTACKS)('is reached if that is allowed: %j %j', async (url, names) => {
    const response = await guarded(OPEN, lookupIn(names))(withPorts(url));
    expect(await response.json()).toEqual({ secret: 1 });
    expect(victimRequests()).toBe(1);
  });

  // Nobody answers there in a test, so the network is made up.
  const FAR_AWAY = [
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.0.1/admin',
    'https://169.254.169.254/latest/meta-data/',
    'https://0251.0376.0251.0376/',
    'https://2852039166/',
    'https://100.100.100.200/',
    'https://192.0.0.192/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::a9fe:a9fe]/',
    'https://[64:ff9b::169.254.169.254]/',
    'https://[64:ff9b:1::10.0.0.1]/',
    'https://[2002:a9fe:a9fe::]/',
    'https://[2001:0:a9fe:a9fe::]/',
    'https://metadata.google.internal/',
    'https://printer.local/',
  ];

  it.each(FAR_AWAY)('is not even looked up: %s', async url => {
    const base = vi.fn<GuardedFetch>(async () => new Response('{}'));
    await expectRefusal(createGuardedFetch(base, STRICT)(url), 'address', /allowPrivateAddresses: true/);
    await expectRefusal(createGuardedFetch(base, LOCAL)(url), 'address', /allowPrivateAddresses: true/);
    expect(base).not.toHaveBeenCalled();
    await createGuardedFetch(base, OPEN)(url);
    expect(base).toHaveBeenCalledOnce();
  });
});

describe('a URL that is refused whatever the rules', () => {
  const REFUSED: [url: string, message: RegExp][] = [
    ['http://public.example/', /begin with https/],
    ['http://10.0.0.1/', /begin with https/],
    ['http://169.254.169.254/latest/meta-data/', /begin with https/],
    ['http://[::ffff:127.0.0.1]/', /begin with https/],
    ['http://0.0.0.0/', /begin with https/],
    ['http://localhost.example/', /begin with https/],
    ['ftp://127.0.0.1/', /begin with https/],
    ['ws://127.0.0.1/', /begin with https/],
    ['gopher://127.0.0.1:6379/_FLUSHALL', /begin with https/],
    ['file:///etc/passwd', /begin with https/],
    ['javascript:alert(1)', /begin with https/],
    ['data:application/json,{}', /begin with https/],
    ['blob:https://public.example/1', /begin with https/],
    ['unix:/var/run/docker.sock', /begin with https/],
    ['https://public.example@127.0.0.1/', /user name or a password/],
    ['https://user:password@public.example/', /user name or a password/],
    ['https://:password@public.example/', /user name or a password/],
    ['https://public.example%2f@127.0.0.1/', /user name or a password/],
    ['https://127.0.0.1../', /not a host name/],
    ['https://localhost../', /not a host name/],
    ['https://a..localhost/', /not a host name/],
    ['https://./', /not a host name/],
    ['https://1.2.3.4.5/', /not a URL/],
    ['https://256.0.0.1/', /not a URL/],
    ['https://[fe80::1%25eth0]/', /not a URL/],
    ['https://127.0.0.1%00.example/', /not a URL/],
    ['https://', /not a URL/],
    ['//public.example/', /not a URL/],
    ['/etc/passwd', /not a URL/],
    ['', /not a URL/],
  ];

  it.each(REFUSED)('%j', async (url, message) => {
    const base = vi.fn<GuardedFetch>(async () => new Response('{}'));
    for (const rules of [STRICT, LOCAL, OPEN]) {
      await expectRefusal(createGuardedFetch(base, rules)(url), 'address', message);
    }
    expect(base).not.toHaveBeenCalled();
  });

  it('goes out without the guard', async () => {
    await fetchBlindly(`http://public.example:${plainVictim.port}/`);
    await fetchBlindly(`https://public.example@127.0.0.1:${victim.port}/`);
    expect([plainVictim.requests.length, victim.requests.length]).toEqual([1, 1]);
    expect(await (await fetch('data:application/json,{}')).json()).toEqual({});
  });

  it('never shows a password', async () => {
    const promise = guarded(STRICT)('https://user:hunter2@public.example/?token=hunter2#hunter2');
    await expect(promise).rejects.toThrow(/^(?!.*hunter2).*$/);
  });
});

describe('a name', () => {
  // Whether an address passes is seen from what comes next: the signal has already aborted.
  const attempt = (url: string, addresses: string[], rules: FetchRules) =>
    pinned(rules, lookupIn({ [new URL(url).hostname]: addresses }))(url, {
      signal: AbortSignal.abort('passed'),
    });

  it.each([
    [['1.1.1.1', '127.0.0.1']],
    [['1.1.1.1', '8.8.8.8', '10.0.0.1']],
    [['1.1.1.1', '::1']],
    [['2606:4700:4700::1111', '1.1.1.1', 'fd00::1']],
    [['1.1.1.1', '169.254.169.254']],
    [['1.1.1.1', '::ffff:169.254.169.254']],
    [['1.1.1.1', '64:ff9b::a9fe:a9fe']],
    [['1.1.1.1', 'fe80::1%eth0']],
    [['1.1.1.1', '0x7f.1']],
    [['1.1.1.1', '']],
  ])('is refused if any of its addresses is not public: %j', async addresses => {
    await expectRefusal(
      attempt('https://mixed.example/', addresses, STRICT),
      'address',
      /must not be fetched/,
    );
    // The last one alone is to blame.
    await expect(attempt('https://mixed.example/', addresses.slice(0, -1), STRICT)).rejects.toBe('passed');
    await expect(attempt('https://mixed.example/', addresses, OPEN)).rejects.toBe('passed');
  });

  // covers: 2025-06-18/security/oauth-urls-are-https, 2025-06-18/authorization/communication-security
  it.each(['localhost', 'a.localhost'])(
    '%s is not asked in plain text if it is another machine',
    async name => {
      const url = `http://${name}/`;
      await expectRefusal(attempt(url, ['1.1.1.1'], LOCAL), 'address', /another machine/);
      await expectRefusal(attempt(url, ['127.0.0.1', '10.0.0.1'], OPEN), 'address', /another machine/);
      await expect(attempt(url, ['127.0.0.1', '::1'], LOCAL)).rejects.toBe('passed');
    },
  );

  it('is resolved once, so that it cannot lead elsewhere after the check', async () => {
    const honest = await untilTestEnds(startServer((_request, response) => response.end('honest')));
    const rebound = await untilTestEnds(startServer(undefined, { host: '::1', port: honest.port }));
    const changing = () => {
      const answers = [['127.0.0.1'], ['::1']];
      return vi.fn<LookupAll>((host, options, callback) =>
        lookupIn({ [host]: answers.shift() ?? [] })(host, options, callback),
      );
    };
    const url = `https://victim.example:${honest.port}/`;
    const lookup = changing();
    expect(await (await guarded(LOCAL, lookup)(url)).text()).toBe('honest');
    expect(lookup).toHaveBeenCalledOnce();
    expect(rebound.requests).toHaveLength(0);

    const again = changing();
    await new Promise(resolve => again('victim.example', { all: true }, resolve));
    await fetchBlindly(url, { lookup: again });
    expect(rebound.requests).toHaveLength(1);
  });

  it('is what the certificate has to be for', async () => {
    const lookup = lookupIn();
    const url = (name: string) => `https://${name}:${victim.port}/`;
    const error = await expectFailure(guarded(LOCAL, lookup)(url('wrong.example')));
    expect(error.cause).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const untrusting = createGuardedFetch(createPinnedFetch(LOCAL, { lookup }), LOCAL);
    await expectFailure(untrusting(url('victim.example')));
    expect(victim.requests).toHaveLength(0);
    expect((await guarded(LOCAL, lookup)(url('victim.example'))).status).toBe(200);
    expect(victim.requests[0]?.headers.host).toBe(`victim.example:${victim.port}`);
  });
});

describe('a redirect', () => {
  /** The attacker counts as public; everything else is checked. */
  const outside: GuardedFetch = (url, init) =>
    pinned(new URL(url).hostname === 'public.example' ? OPEN : STRICT)(url, init);
  const strict = createGuardedFetch(outside, STRICT);

  function redirecting(to: string, status = 302, server = attacker): string {
    return `https://public.example:${server.port}/?status=${status}&to=${encodeURIComponent(withPorts(to))}`;
  }

  const STATUSES = [301, 302, 303, 307, 308];
  const TARGETS = [
    'https://127.0.0.1:PORT/',
    'https://[::1]:PORT6/',
    'https://[::ffff:7f00:1]:PORT/',
    'https://2130706433:PORT/',
    'https://localhost:PORT/',
    'https://victim.example:PORT/',
    '//127.0.0.1:PORT/',
    'http://127.0.0.1:PLAIN/',
  ];
  const MORE_TARGETS = [
    '\\\\127.0.0.1:PORT/',
    '/\\127.0.0.1:PORT/',
    '///127.0.0.1:PORT/',
    'ht\ttps://127.0.0.1:PORT/',
    'https://public.example@127.0.0.1:PORT/',
    'https://public.example:443@127.0.0.1:PORT/',
    'https://0x7f.1:PORT/',
    'https://sso.internal:PORT/',
    'https://localhost.:PORT/',
    'http://localhost:PLAIN/',
    'http://public.example:PLAIN/',
  ];
  const ATTACKS = [
    ...STATUSES.flatMap(status => TARGETS.map(target => [status, target] as const)),
    ...MORE_TARGETS.map(target => [302, target] as const),
  ];

  // covers: 2025-06-18/security/redirects-are-validated
  it.each(ATTACKS)('of %i to %j is not followed', async (status, target) => {
    await expectRefusal(strict(redirecting(target, status)), 'address', /redirects to|must not be fetched/);
    expect(attacker.requests).toHaveLength(1);
    expect(victimRequests()).toBe(0);
  });

  it.each(ATTACKS)('of %i to %j is followed without the guard', async (status, target) => {
    await fetchBlindly(redirecting(target, status));
    expect(victimRequests()).toBe(1);
  });

  it.each(STATUSES)('of %i to a private address is followed if that is allowed', async status => {
    const response = await guarded(OPEN)(redirecting('https://127.0.0.1:PORT/', status));
    expect(await response.json()).toEqual({ secret: 1 });
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:application/json,{}',
    'ftp://127.0.0.1/',
    'about:blank',
  ])('to %s is not followed, whatever the rules', async target => {
    await expectRefusal(strict(redirecting(target)), 'address', /begin with https/);
    await expectRefusal(guarded(OPEN)(redirecting(target)), 'address', /begin with https/);
    expect((await fetchBlindly(redirecting(target))).url).toBe(target);
  });

  it('from https: to http: is not followed, even on this machine', async () => {
    const url = redirecting('http://127.0.0.1:PLAIN/').replace('public.example', 'localhost');
    for (const rules of [LOCAL, OPEN]) {
      await expectRefusal(guarded(rules)(url), 'address', /away from https/);
    }
    expect(plainVictim.requests).toHaveLength(0);
    await fetchBlindly(url);
    expect(plainVictim.requests).toHaveLength(1);
  });

  it('is checked at every hop', async () => {
    const url = redirecting(redirecting(redirecting('https://127.0.0.1:PORT/')), 307);
    await expectRefusal(strict(url), 'address', /127\.0\.0\.1 is a loopback address/);
    expect([attacker.requests.length, victim.requests.length]).toEqual([3, 0]);
    await fetchBlindly(url);
    expect(victim.requests).toHaveLength(1);
  });

  it('is followed three times', async () => {
    const end = `https://public.example:${attacker.port}/end`;
    const three = redirecting(redirecting(redirecting(end)));
    expect((await strict(three)).status).toBe(200);
    expect(attacker.requests).toHaveLength(4);
    await expectRefusal(strict(redirecting(three)), 'address', /more than 3 times/);
    expect(attacker.requests).toHaveLength(8);
  });

  it('to itself ends', async () => {
    const loop = await untilTestEnds(
      startServer((_request, response) => response.writeHead(302, { location: '/loop' }).end()),
    );
    const url = `https://public.example:${loop.port}/loop`;
    await expectRefusal(strict(url), 'address', /more than 3 times/);
    expect(loop.requests).toHaveLength(4);
    await fetchBlindly(url);
    expect(loop.requests.length).toBeGreaterThan(20);
  });

  const POSTS = STATUSES.flatMap(status =>
    ['POST', 'PUT', 'DELETE', 'post'].map(method => [status, method] as const),
  );

  it.each(POSTS)('of %i for %s is not followed, not even to the same server', async (status, method) => {
    const url = redirecting(`https://public.example:${attacker.port}/end`, status);
    const body = 'client_secret=hunter2';
    await expectRefusal(strict(url, { method, body }), 'address', /requests do not follow/);
    expect(attacker.requests).toHaveLength(1);
    await fetchBlindly(url, { method: method.toUpperCase(), body });
    expect(attacker.requests.at(-1)).toMatchObject({ path: '/end', body });
  });

  describe('takes secrets', () => {
    const headers = { authorization: 'Basic x', cookie: 'a=b', dpop: 'proof', 'x-other': 'kept' };

    it('to the same origin', async () => {
      await strict(redirecting('/end'), { headers });
      expect(attacker.requests[1]?.headers).toMatchObject(headers);
    });

    it.each(STATUSES)('not to another one, by %i, and not back either', async status => {
      const back = redirecting(`https://public.example:${attacker.port}/end`, status, otherAttacker);
      await strict(redirecting(back, status), { headers });
      for (const request of [otherAttacker.requests[0], attacker.requests[1]]) {
        expect(request?.headers).toMatchObject({ 'x-other': 'kept' });
        for (const name of ['authorization', 'cookie', 'dpop'])
          expect(request?.headers).not.toHaveProperty(name);
      }
      otherAttacker.requests.length = 0;
      await fetchBlindly(redirecting(back, status), { headers });
      expect(otherAttacker.requests[0]?.headers).toMatchObject(headers);
    });
  });

  it.each([
    ['nowhere', new Response(null, { status: 302 }), /does not say where to/],
    ['no URL', new Response(null, { status: 302, headers: { location: 'https://[' } }), /not a URL/],
    [
      'a place that browsers do not tell',
      Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' }),
      /this runtime does not say/,
    ],
  ])('to %s is refused', async (_title, response, message) => {
    const base = vi.fn<GuardedFetch>(async () => response);
    await expectRefusal(createGuardedFetch(base, STRICT)('https://public.example/'), 'address', message);
    expect(base).toHaveBeenCalledOnce();
  });

  it('has its connection dropped before the next is made', async () => {
    const next = await untilTestEnds(
      startServer((_request, response) => isDeserted(endless).then(() => response.end('{}'))),
    );
    const endless: Hostile = await untilTestEnds(
      startServer((_request, response) => {
        response.writeHead(302, { location: `https://public.example:${next.port}/` });
        flood(response);
      }),
    );
    expect((await strict(`https://public.example:${endless.port}/`)).status).toBe(200);
  });
});

const KILOBYTE = 'x'.repeat(1024);

/** Writes for as long as anybody reads. */
function flood(
  stream: {
    write(text: string): boolean;
    once(event: 'drain', listener: () => void): unknown;
    destroyed: boolean;
  },
  text = KILOBYTE,
): void {
  while (!stream.destroyed && stream.write(text));
  if (!stream.destroyed) stream.once('drain', () => flood(stream, text));
}

/** Reads until there is nothing more, or more than twice what is allowed. */
async function readBlindly(response: Response): Promise<number> {
  let size = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    size += chunk.length;
    if (size > 2 * MAX_BYTES) break;
  }
  return size;
}

describe('an answer that is too large', () => {
  const head = (...lines: string[]) => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;
  const chunk = `400\r\n${KILOBYTE}\r\n`;

  const ATTACKS: [title: string, serve: (socket: Socket) => void][] = [
    [
      'an endless body in chunks',
      socket => {
        socket.write(head('transfer-encoding: chunked'));
        flood(socket, chunk);
      },
    ],
    [
      'an endless body in small chunks',
      socket => {
        socket.write(head('transfer-encoding: chunked'));
        flood(socket, '8\r\nxxxxxxxx\r\n'.repeat(1000));
      },
    ],
    [
      'an endless body until the connection ends',
      socket => {
        socket.write(head());
        flood(socket);
      },
    ],
    [
      'a gigabyte that is announced',
      socket => {
        socket.write(head('content-length: 1073741824'));
        flood(socket);
      },
    ],
    [
      'one byte too much, announced',
      socket => socket.end(head(`content-length: ${MAX_BYTES + 1}`) + 'x'.repeat(MAX_BYTES + 1)),
    ],
    ['one byte too much', socket => socket.end(head() + 'x'.repeat(MAX_BYTES + 1))],
    [
      'an endless body with an error status',
      socket => {
        socket.write('HTTP/1.1 500 Oops\r\n\r\n');
        flood(socket);
      },
    ],
  ];

  it.each(ATTACKS)('is refused, and the connection dropped: %s', async (_title, serve) => {
    const server = await untilTestEnds(startRaw(serve));
    const url = `http://127.0.0.1:${server.port}/`;
    await expectRefusal(guarded(LOCAL)(url), 'document', /larger than 1048576 bytes/);
    await isDeserted(server);
    // The same guard over the `fetch` of the runtime.
    await expectRefusal(createGuardedFetch(fetch, LOCAL)(url), 'document', /larger than 1048576 bytes/);
  });

  it.each(ATTACKS)('is read without the guard: %s', async (_title, serve) => {
    const server = await untilTestEnds(startRaw(serve));
    const response = await pinned(LOCAL)(`http://127.0.0.1:${server.port}/`);
    expect(await readBlindly(response)).toBeGreaterThan(MAX_BYTES);
  });

  it('is refused by what it announces, before a byte has come', async () => {
    const server = await untilTestEnds(startRaw(socket => socket.write(head('content-length: 1048577'))));
    const url = `http://127.0.0.1:${server.port}/`;
    await expectRefusal(guarded(LOCAL)(url), 'document', /larger than/);
    await isDeserted(server);
    expect((await pinned(LOCAL)(url)).status).toBe(200);
  });

  it('may be as large as the limit', async () => {
    const server = await untilTestEnds(startRaw(socket => socket.end(head() + 'x'.repeat(MAX_BYTES))));
    const response = await guarded(LOCAL)(`http://127.0.0.1:${server.port}/`);
    expect((await response.arrayBuffer()).byteLength).toBe(MAX_BYTES);
  });

  const bomb = gzipSync(Buffer.alloc(8 * MAX_BYTES));

  it.each(['gzip', 'GZIP', 'x-gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'identity, gzip'])(
    'is not unpacked: %s',
    async encoding => {
      const server = await untilTestEnds(
        startServer(
          (_request, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb),
          {
            isPlain: true,
          },
        ),
      );
      const url = `http://127.0.0.1:${server.port}/`;
      await expectRefusal(guarded(LOCAL)(url), 'document', /compresses its answer/);
      expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
    },
  );

  it('is unpacked without the guard', async () => {
    const server = await untilTestEnds(
      startServer((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb), {
        isPlain: true,
      }),
    );
    const url = `http://127.0.0.1:${server.port}/`;
    expect(bomb.length).toBeLessThan(MAX_BYTES / 8);
    expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(8 * MAX_BYTES);
    // Where the runtime unpacks, the limit is for what comes out.
    await expectRefusal(createGuardedFetch(fetch, LOCAL)(url), 'document', /larger than/);
  });

  it('has no more headers than Node takes', async () => {
    const headers = (count: number) => `x-flood: ${KILOBYTE}\r\n`.repeat(count);
    const server = await untilTestEnds(
      startRaw(socket => socket.end(`HTTP/1.1 200 OK\r\n${headers(1024)}content-length: 0\r\n\r\n`)),
    );
    const url = `http://127.0.0.1:${server.port}/`;
    const error = await expectFailure(guarded(LOCAL)(url));
    expect(error.cause).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
    await isDeserted(server);
    const { message } = await fetchBlindly(url, { maxHeaderSize: 4 * MAX_BYTES });
    expect(message?.statusCode).toBe(200);
  });

  it('has no endless headers', async () => {
    const server = await untilTestEnds(
      startRaw(socket => {
        socket.write('HTTP/1.1 200 OK\r\n');
        flood(socket, `x-flood: ${KILOBYTE}\r\n`);
      }),
    );
    await expectFailure(guarded(LOCAL)(`http://127.0.0.1:${server.port}/`));
    await isDeserted(server);
  });
});

describe('an answer that is not what it says', () => {
  const BROKEN: [title: string, answer: string][] = [
    ['shorter than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}'],
    ['chunks that end early', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 4\r\n\r\n{}{}'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}'],
    ['an impossible length', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n{}'],
    ['a status out of range', 'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: evil\r\n\r\n'],
    ['only a hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['no HTTP', '220 mail.example ESMTP\r\n'],
    ['nothing', ''],
  ];

  it.each(BROKEN)('is a failure of the network: %s', async (_title, answer) => {
    const server = await untilTestEnds(startRaw(socket => socket.end(answer)));
    await expectFailure(guarded(LOCAL)(`http://127.0.0.1:${server.port}/`));
    await isDeserted(server);
  });

  it('is accepted if it says the truth', async () => {
    const honest = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
    const server = await untilTestEnds(startRaw(socket => socket.end(honest)));
    expect(await (await guarded(LOCAL)(`http://127.0.0.1:${server.port}/`)).text()).toBe('{}');
  });

  it('ends where it says that it ends', async () => {
    const server = await untilTestEnds(
      startRaw(socket => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
        flood(socket);
      }),
    );
    expect(await (await guarded(LOCAL)(`http://127.0.0.1:${server.port}/`)).text()).toBe('{}');
    await isDeserted(server);
  });
});

describe('an answer that is too slow', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const DONE = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
  const ATTACKS: [title: string, begin: string, everySecond: string, end: string][] = [
    ['no byte at all', '', '', DONE],
    ['half a status line', 'HTTP/1.1 20', '', DONE.slice(11)],
    ['a header every second', 'HTTP/1.1 200 OK\r\n', 'x-slow: 1\r\n', 'content-length: 2\r\n\r\n{}'],
    [
      'a byte of a header every second',
      'HTTP/1.1 200 OK\r\nx-slow: ',
      'x',
      '\r\ncontent-length: 2\r\n\r\n{}',
    ],
    ['a hint every second', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', DONE],
    ['headers without a body', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n', '', '{}'],
    ['a byte every second', 'HTTP/1.1 200 OK\r\n\r\n', 'x', ''],
    [
      'a chunk every second',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\nx\r\n',
      '0\r\n\r\n',
    ],
  ];

  async function begin(attack: (typeof ATTACKS)[number]) {
    const [, first, everySecond] = attack;
    const reached = later<Socket>();
    const server = await untilTestEnds(
      startRaw(socket => {
        socket.write(first);
        reached.resolve(socket);
      }),
    );
    const answer = guarded(LOCAL)(`http://127.0.0.1:${server.port}/`);
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    answer.then(settle, settle);
    const socket = await reached.promise;
    for (let second = 1; second < 10; second++) {
      vi.advanceTimersByTime(1000);
      if (everySecond !== '') await new Promise(resolve => socket.write(everySecond, resolve));
    }
    vi.advanceTimersByTime(999);
    await new Promise(resolve => setImmediate(resolve));
    expect(isSettled).toBe(false);
    return { server, socket, answer };
  }

  it.each(ATTACKS)('is given up after ten seconds, and the connection dropped: %s', async (...attack) => {
    const { server, answer } = await begin(attack);
    vi.advanceTimersByTime(1);
    await expectRefusal(answer, 'document', /did not answer within 10 seconds/);
    await isDeserted(server);
  });

  it.each(ATTACKS)('is waited for until then: %s', async (...attack) => {
    const { socket, answer } = await begin(attack);
    socket.end(attack[3]);
    expect((await answer).status).toBe(200);
  });

  it('is given up while a name is resolved', async () => {
    const asked = [later<() => void>(), later<() => void>()] as const;
    const questions = asked.values();
    const lookup: LookupAll = (host, options, callback) => {
      questions.next().value?.resolve(() => lookupIn()(host, options, callback));
    };
    const url = `https://victim.example:${victim.port}/`;
    const late = guarded(LOCAL, lookup)(url);
    late.catch(() => {});
    const answerLate = await asked[0].promise;
    vi.advanceTimersByTime(10_000);
    await expectRefusal(late, 'document', /did not answer within 10 seconds/);
    answerLate();
    const inTime = guarded(LOCAL, lookup)(url);
    const answer = await asked[1].promise;
    vi.advanceTimersByTime(9_999);
    answer();
    expect((await inTime).status).toBe(200);
    expect(victim.requests).toHaveLength(1);
  });

  it('has ten seconds for all its redirects together', async () => {
    const slow = await untilTestEnds(
      startServer((_request, response) => {
        vi.advanceTimersByTime(4_000);
        response.writeHead(302, { location: '/' }).end();
      }),
    );
    const promise = guarded(LOCAL)(`https://public.example:${slow.port}/`);
    await expectRefusal(promise, 'document', /did not answer within 10 seconds/);
    expect(slow.requests).toHaveLength(3);
  });

  it('is given up even if what fetches takes no notice', async () => {
    const base = vi.fn<GuardedFetch>(() => new Promise(() => {}));
    const promise = createGuardedFetch(base, STRICT)('https://public.example/');
    promise.catch(() => {});
    vi.advanceTimersByTime(10_000);
    await expectRefusal(promise, 'document', /did not answer within 10 seconds/);
  });

  it('leaves no timer behind', async () => {
    await guarded(LOCAL)(`https://127.0.0.1:${victim.port}/`);
    await expectFailure(guarded(LOCAL)('https://127.0.0.1:1/'));
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a request', () => {
  it('ends when its signal aborts, before the headers', async () => {
    const reached = later<void>();
    const server = await untilTestEnds(startRaw(() => reached.resolve()));
    const controller = new AbortController();
    const promise = guarded(LOCAL)(`http://127.0.0.1:${server.port}/`, { signal: controller.signal });
    await reached.promise;
    expect(server.sockets.size).toBe(1);
    controller.abort('enough');
    await expect(promise).rejects.toBe('enough');
    await isDeserted(server);
  });

  it('ends when its signal aborts, inside the body', async () => {
    const reached = later<void>();
    const server = await untilTestEnds(
      startRaw(socket => socket.write('HTTP/1.1 200 OK\r\n\r\nx', () => reached.resolve())),
    );
    const controller = new AbortController();
    const promise = guarded(LOCAL)(`http://127.0.0.1:${server.port}/`, { signal: controller.signal });
    await reached.promise;
    controller.abort('enough');
    await expect(promise).rejects.toBe('enough');
    await isDeserted(server);
  });

  it('is not sent if its signal has aborted', async () => {
    const url = `https://127.0.0.1:${victim.port}/`;
    await expect(guarded(LOCAL)(url, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    expect(victim.requests).toHaveLength(0);
  });

  it('cannot pretend to be for another host, or another length', async () => {
    const headers = {
      host: 'internal',
      'transfer-encoding': 'chunked',
      'content-length': '1',
      connection: 'upgrade',
    };
    const url = `https://127.0.0.1:${victim.port}/`;
    await guarded(LOCAL)(url, { method: 'POST', headers, body: 'all of it' });
    expect(victim.requests[0]).toMatchObject({
      body: 'all of it',
      headers: { host: `127.0.0.1:${victim.port}`, 'content-length': '9', connection: 'close' },
    });
    expect(victim.requests[0]?.headers).not.toHaveProperty('transfer-encoding');
    const naive = requestHttp({
      port: plainVictim.port,
      host: '127.0.0.1',
      headers: { host: 'internal' },
    }).end();
    await once(naive, 'response');
    expect(plainVictim.requests[0]?.headers.host).toBe('internal');
  });

  it('takes what fetch takes, and brings what the server sent', async () => {
    const server = await untilTestEnds(
      startServer((_request, response) => {
        response.writeHead(400, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
        response.end('{"error":"invalid_grant"}');
      }),
    );
    const response = await guarded(LOCAL)(new URL(`https://localhost:${server.port}/token?x=1#y`), {
      method: 'POST',
      headers: [['Accept', 'application/json']],
      body: new URLSearchParams({ grant_type: 'a b' }),
    });
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, await response.json()]).toEqual([
      400,
      false,
      { error: 'invalid_grant' },
    ]);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      path: '/token?x=1',
      body: 'grant_type=a+b',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
        host: `localhost:${server.port}`,
      },
    });
    await isDeserted(server);
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('by %s with an answer of %i has no body', async (method, status) => {
    const server = await untilTestEnds(
      startServer((_request, response) => response.writeHead(status, { 'content-length': 2 ** 30 }).end()),
    );
    const response = await guarded(LOCAL)(`https://127.0.0.1:${server.port}/`, { method });
    expect([response.status, response.body]).toEqual([status, null]);
    await isDeserted(server);
  });

  it.each([
    ['ECONNREFUSED', 'https://127.0.0.1:1/', lookupIn()],
    [
      'ENOTFOUND',
      'https://nobody.example/',
      ((_host, _options, callback) =>
        callback(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }), [])) as LookupAll,
    ],
  ])('that fails because of the network says so: %s', async (code, url, lookup) => {
    const error = await expectFailure(guarded(LOCAL, lookup)(url));
    expect(error.message).toMatch(/could not be reached/);
    expect(error.cause).toMatchObject({ code });
  });

  it('that fails in the fetch of the runtime says why', async () => {
    const error = await expectFailure(createGuardedFetch(fetch, LOCAL)('http://127.0.0.1:1/'));
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('to a name without any address fails', async () => {
    await expectFailure(guarded(LOCAL, lookupIn({ 'public.example': [] }))('https://public.example/'));
  });
});

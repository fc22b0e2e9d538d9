import fc from 'fast-check';
import { type RawRequest, requestBytes } from './raw-http.js';

/** A request that was damaged: its bytes, and whether the server can see where it ends. */
export interface Damaged {
  bytes: Buffer;
  isWhole: boolean;
  /** The body as it was sent, if it was sent whole. */
  body: string | undefined;
}

type Damage = (request: RawRequest) => Damaged;

const fraction = () => fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    [],
    {},
    '__proto__',
    { __proto__: 1, toString: 1 },
    [[[]]],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

function whole(request: RawRequest, body: string | Buffer): Damaged {
  const { 'content-length': _length, ...headers } = request.headers ?? {};
  return { bytes: requestBytes({ ...request, headers, body }), isWhole: true, body: body.toString() };
}

/** Some bytes are changed: anywhere, so that even the framing may break, or in the body only. */
function flipBytes(where: 'all' | 'body'): fc.Arbitrary<Damage> {
  const flips = fc.array(fc.tuple(fraction(), fc.integer({ min: 1, max: 255 })), {
    minLength: 1,
    maxLength: 4,
  });
  return flips.map(list => request => {
    const bytes = where === 'all' ? requestBytes(request) : Buffer.from(request.body as string);
    for (const [at, mask] of list) {
      const place = Math.floor(at * bytes.length);
      bytes[place] = bytes[place]! ^ mask;
    }
    return where === 'all' ? { bytes, isWhole: false, body: undefined } : whole(request, bytes);
  });
}

/** The client stops in the middle. */
function cutOff(): fc.Arbitrary<Damage> {
  return fraction().map(at => request => {
    const bytes = requestBytes(request);
    return { bytes: bytes.subarray(0, Math.floor(at * bytes.length)), isWhole: false, body: undefined };
  });
}

/** The body ends early, and its length says so. */
function truncateBody(): fc.Arbitrary<Damage> {
  return fraction().map(at => request => {
    const body = request.body as string;
    return whole(request, body.slice(0, Math.floor(at * body.length)));
  });
}

/** A member of the message, at any depth, is replaced, removed, or added. */
function replaceMember(): fc.Arbitrary<Damage> {
  const path = fc.array(fc.nat(20), { minLength: 1, maxLength: 4 });
  return fc
    .tuple(path, fc.constantFrom('replace', 'remove', 'add'), junk)
    .map(([steps, how, value]) => request => {
      const message = JSON.parse(request.body as string);
      let holder = message;
      let key = '';
      for (const step of steps) {
        const keys = Object.keys(holder);
        if (keys.length === 0) break;
        key = keys[step % keys.length]!;
        if (typeof holder[key] !== 'object' || holder[key] === null || step === steps.at(-1)) break;
        holder = holder[key];
      }
      if (how === 'remove') delete holder[key];
      else holder[how === 'add' ? `${key}x` : key] = value;
      return whole(request, JSON.stringify(message));
    });
}

const HEADERS = [
  'host',
  'origin',
  'accept',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-param-region',
  'last-event-id',
  'authorization',
  'connection',
  'x-anything',
];

const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    'localhost',
    'null',
    '*/*',
    'application/json',
    '2026-07-28',
    '2025-11-25',
    'tools/call',
    'close',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
  // Bytes that a header may have, but no text.
  fc.string({
    unit: fc.integer({ min: 0x80, max: 0xff }).map(code => String.fromCharCode(code)),
    maxLength: 5,
  }),
);

/** A header is replaced, removed, or sent twice. */
function changeHeader(): fc.Arbitrary<Damage> {
  return fc
    .tuple(fc.constantFrom(...HEADERS), fc.constantFrom('replace', 'remove', 'repeat'), headerValue)
    .map(([name, how, value]) => request => {
      const known = request.headers?.[name];
      const repeated = [typeof known === 'string' ? known : 'x', value];
      const changed = how === 'remove' ? undefined : how === 'repeat' ? repeated : value;
      return whole({ ...request, headers: { ...request.headers, [name]: changed } }, request.body as string);
    });
}

/** Another method of HTTP, or another path. Not DELETE, which would end the session for all that follow. */
function changeMethod(): fc.Arbitrary<Damage> {
  const methods = fc.constantFrom('GET', 'PUT', 'PATCH', 'OPTIONS', 'POST');
  const paths = fc.constantFrom(
    '/mcp',
    '/',
    '/mcp?',
    '/mcp?a=%ff',
    '/sse',
    '/messages?sessionId=x',
    '//',
    '/%',
  );
  return fc.tuple(methods, paths).map(
    ([method, path]) =>
      request =>
        whole({ ...request, method, path }, request.body as string),
  );
}

/** Damages of all kinds: to the bytes, the body, its members, the headers, and the end. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  flipBytes('all'),
  flipBytes('body'),
  cutOff(),
  truncateBody(),
  replaceMember(),
  changeHeader(),
  changeMethod(),
);

import { decodeBase64Url, encodeBase64Url } from '../protocol/base64.js';
import type { Awaitable } from '../protocol/settle.js';
import { webCipher } from './web-cipher.js';

/** Turns values into tokens that only holders of the keys can read or make. */
export interface Seal {
  /** Seals a value. It opens only for the same purpose and the same `bound`. */
  seal(purpose: string, bound: string, value: unknown): Promise<string>;
  /** The sealed value; undefined for anything else, without a word on why. */
  open(purpose: string, bound: string, token: string): Promise<unknown>;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** AES-256-GCM with one key; the tag is at the end. */
export interface Cipher {
  encrypt(iv: Bytes, bound: Bytes, plain: Bytes): Awaitable<Uint8Array>;
  /** Throws, or rejects, for anything that it did not make. */
  decrypt(iv: Bytes, bound: Bytes, sealed: Bytes): Awaitable<Uint8Array>;
}

export type CipherFactory = (key: Bytes) => Awaitable<Cipher>;

/** How the value is packed: as it is, or compressed. */
const PLAIN = 1;
const DEFLATED = 2;
/** Shorter texts do not get smaller. */
const MIN_DEFLATED_BYTES = 512;
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
const HEAD_BYTES = 1 + KEY_ID_BYTES + IV_BYTES;
const MIN_KEY_BYTES = 32;
/** Of AES-256. */
const KEY_BYTES = 32;

/**
 * A seal over a ring of keys: the first seals, all of them open. Without keys a random one is made, so
 * tokens die with the process.
 *
 * AES-256-GCM with a key derived per purpose. A token is, in base64url: packing, key id, IV, ciphertext.
 */
export function createSeal(
  keys: readonly (string | Uint8Array)[] = [],
  createCipher: CipherFactory = webCipher,
): Seal {
  const secrets = keys.length > 0 ? keys : [crypto.getRandomValues(new Uint8Array(32))];
  const ring = secrets.map(secret => createKey(secret, createCipher));
  const [first] = ring as [Key];

  return {
    async seal(purpose, bound, value) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const { version, bytes } = await pack(encode(JSON.stringify(value)));
      const cipher = await first.cipher(purpose);
      const sealed = await cipher.encrypt(iv, encode(`${version} ${bound}`), bytes);
      const token = new Uint8Array(HEAD_BYTES + sealed.length);
      token[0] = version;
      token.set(await first.id(), 1);
      token.set(iv, 1 + KEY_ID_BYTES);
      token.set(sealed, HEAD_BYTES);
      return encodeBase64Url(token);
    },

    async open(purpose, bound, token) {
      const bytes = decodeBase64Url(token);
      const version = bytes?.[0];
      if (!bytes || bytes.length <= HEAD_BYTES || !isVersion(version)) return undefined;
      const key = await findKey(ring, bytes.subarray(1, 1 + KEY_ID_BYTES));
      if (!key) return undefined;
      try {
        const cipher = await key.cipher(purpose);
        const iv = bytes.subarray(1 + KEY_ID_BYTES, HEAD_BYTES);
        const plain = await cipher.decrypt(iv, encode(`${version} ${bound}`), bytes.subarray(HEAD_BYTES));
        return JSON.parse(new TextDecoder().decode(await unpack(version, plain)));
      } catch {
        return undefined;
      }
    },
  };
}

function isVersion(version: number | undefined): version is typeof PLAIN | typeof DEFLATED {
  return version === PLAIN || version === DEFLATED;
}

async function pack(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<{ version: number; bytes: Uint8Array<ArrayBuffer> }> {
  if (bytes.length < MIN_DEFLATED_BYTES) return { version: PLAIN, bytes };
  const deflated = await pipe(bytes, new CompressionStream('deflate-raw'));
  return deflated.length < bytes.length ? { version: DEFLATED, bytes: deflated } : { version: PLAIN, bytes };
}

async function unpack(version: number, packed: Uint8Array): Promise<Uint8Array> {
  return version === DEFLATED
    ? pipe(Uint8Array.from(packed), new DecompressionStream('deflate-raw'))
    : packed;
}

async function pipe(
  bytes: Uint8Array<ArrayBuffer>,
  through: { writable: WritableStream; readable: ReadableStream },
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = through.writable.getWriter();
  const written = writer.write(bytes).then(() => writer.close());
  const chunks: Uint8Array[] = [];
  for await (const chunk of through.readable) chunks.push(chunk);
  await written;
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  chunks.reduce((at, chunk) => {
    whole.set(chunk, at);
    return at + chunk.length;
  }, 0);
  return whole;
}

interface Key {
  id(): Promise<Uint8Array>;
  /** The cipher for a purpose: each has a key of its own. */
  cipher(purpose: string): Promise<Cipher>;
}

function createKey(secret: string | Uint8Array, createCipher: CipherFactory): Key {
  const bytes = typeof secret === 'string' ? encode(secret) : Uint8Array.from(secret);
  if (bytes.length < MIN_KEY_BYTES) {
    throw new RangeError(
      `a key must have at least ${MIN_KEY_BYTES} bytes, this one has ${bytes.length}; ` +
        'make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"',
    );
  }
  const ciphers = new Map<string, Promise<Cipher>>();
  const material = lazy(() => crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']));
  const derive = async (purpose: string, size: number) =>
    new Uint8Array(await crypto.subtle.deriveBits(hkdf(purpose), await material(), size * 8));
  return {
    id: lazy(() => derive('key id', KEY_ID_BYTES)),
    cipher(purpose) {
      let cipher = ciphers.get(purpose);
      if (!cipher) {
        cipher = derive(purpose, KEY_BYTES).then(createCipher);
        ciphers.set(purpose, cipher);
      }
      return cipher;
    },
  };
}

async function findKey(ring: readonly Key[], id: Uint8Array): Promise<Key | undefined> {
  for (const key of ring) {
    const own = await key.id();
    if (own.every((byte, at) => byte === id[at])) return key;
  }
  return undefined;
}

function hkdf(purpose: string) {
  return { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encode(`tenon ${purpose}`) };
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

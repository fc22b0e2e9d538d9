import { encodeBase64Url } from '../../base/base64url.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import { type Bytes, type Cipher, type CipherFactory, IV_BYTES } from './cipher.js';
import { readKey } from './keys.js';
import { webCipher } from './web-cipher.js';

/** Turns texts into tokens that only holders of the keys can read or create. */
export interface Seal {
  /** Seals a text. It can be opened only with the same purpose and the same `bound`. */
  seal(purpose: string, bound: string, text: string): Awaitable<string>;
  /** The sealed text; undefined for any other token, without a reason. */
  open(purpose: string, bound: string, token: string): Awaitable<string | undefined>;
}

/** How a text is packed; the first byte of its token. */
const PACKINGS = { plain: 1, deflated: 2 };
type Packing = keyof typeof PACKINGS;
/** Compression does not make shorter texts smaller. */
const MIN_DEFLATED_LENGTH = 512;
/** Together with the packing byte, eight characters. */
const KEY_ID_BYTES = 5;
const PREFIX_LENGTH = 8;
/** The key size of AES-256. */
const KEY_BYTES = 32;

/**
 * A seal with several keys: the first one seals, all of them open. Without keys a random one is created, so tokens
 * are valid only in this process.
 *
 * AES-256-GCM with a key derived per purpose. A token is, in base64url: packing and key id, IV, ciphertext, tag.
 */
export function createSeal(
  keys: readonly (string | Uint8Array)[] = [],
  createCipher: CipherFactory = webCipher,
): Seal {
  const given = keys.map(secret => createKey(secret, createCipher));
  // Some runtimes have no random values before the first request.
  const makeRing = () => [createKey(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), createCipher)];
  const ring = lazy((): readonly Key[] => (given.length > 0 ? given : makeRing()));

  return {
    seal(purpose, bound, text) {
      const iv = drawIv();
      const [first] = ring() as [Key];
      return andThen(first.forPurpose(purpose), ({ prefixes, cipher }) =>
        andThen(pack(text), ({ packing, plain }) =>
          andThen(cipher.encrypt(iv, `${packing} ${bound}`, plain), sealed => prefixes[packing] + sealed),
        ),
      );
    },

    open(purpose, bound, token) {
      return settle(
        () =>
          andThen(findKey(ring(), purpose, token.slice(0, PREFIX_LENGTH)), found => {
            if (!found) return undefined;
            const plain = found.key.cipher.decrypt(`${found.packing} ${bound}`, token.slice(PREFIX_LENGTH));
            return andThen(plain, bytes => unpack(found.packing, bytes));
          }),
        unpacked => unpacked && decoder.decode(unpacked),
        () => undefined,
      );
    },
  };
}

/** Random bytes are drawn for many seals at once, because each draw costs more than sealing. */
const drawIv = (() => {
  const pool = new Uint8Array(IV_BYTES * 256);
  let at = pool.length;
  return (): Bytes => {
    if (at === pool.length) {
      crypto.getRandomValues(pool);
      at = 0;
    }
    at += IV_BYTES;
    return pool.slice(at - IV_BYTES, at);
  };
})();

interface Packed {
  packing: Packing;
  plain: string | Bytes;
}

function pack(text: string): Awaitable<Packed> {
  if (text.length < MIN_DEFLATED_LENGTH) return { packing: 'plain', plain: text };
  return pipe(new TextEncoder().encode(text), new CompressionStream('deflate-raw')).then(deflated =>
    deflated.length < text.length
      ? { packing: 'deflated', plain: deflated }
      : { packing: 'plain', plain: text },
  );
}

function unpack(packing: Packing, packed: Uint8Array): Awaitable<Uint8Array> {
  return packing === 'deflated'
    ? pipe(Uint8Array.from(packed), new DecompressionStream('deflate-raw'))
    : packed;
}

async function pipe(
  bytes: Bytes,
  through: { writable: WritableStream; readable: ReadableStream },
): Promise<Bytes> {
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
  /** Each purpose has its own key. */
  forPurpose(purpose: string): Awaitable<PurposeKey>;
}

interface PurposeKey {
  /** The beginnings of this key's tokens. */
  prefixes: Record<Packing, string>;
  cipher: Cipher;
}

function createKey(secret: string | Uint8Array, createCipher: CipherFactory): Key {
  const bytes = readKey(secret);
  const material = lazy(() => crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']));
  const derive = async (purpose: string, size: number) =>
    new Uint8Array(await crypto.subtle.deriveBits(hkdf(purpose), await material(), size * 8));
  const id = lazy(() => derive('key id', KEY_ID_BYTES));
  const made = new Map<string, Awaitable<PurposeKey>>();
  const make = async (purpose: string) => {
    const keyId = await id();
    const prefixOf = (packing: Packing) => encodeBase64Url(Uint8Array.of(PACKINGS[packing], ...keyId));
    const key: PurposeKey = {
      prefixes: { plain: prefixOf('plain'), deflated: prefixOf('deflated') },
      cipher: await createCipher(await derive(purpose, KEY_BYTES)),
    };
    made.set(purpose, key);
    return key;
  };
  return {
    forPurpose(purpose) {
      const known = made.get(purpose);
      if (known) return known;
      const making = make(purpose);
      made.set(purpose, making);
      return making;
    },
  };
}

function findKey(
  ring: readonly Key[],
  purpose: string,
  prefix: string,
): Awaitable<{ key: PurposeKey; packing: Packing } | undefined> {
  const [first, ...others] = ring;
  if (!first) return undefined;
  return andThen(first.forPurpose(purpose), key => {
    if (prefix === key.prefixes.plain) return { key, packing: 'plain' };
    if (prefix === key.prefixes.deflated) return { key, packing: 'deflated' };
    return findKey(others, purpose, prefix);
  });
}

function hkdf(purpose: string) {
  return {
    name: 'HKDF',
    hash: 'SHA-256',
    salt: new Uint8Array(),
    info: new TextEncoder().encode(`tenon ${purpose}`),
  };
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Keeps a byte order mark at the beginning of a text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

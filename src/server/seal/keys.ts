import { UsageError } from '../../base/errors.js';
import type { Bytes } from './cipher.js';

const MIN_KEY_BYTES = 32;

type Keys = readonly (string | Uint8Array)[];

/** The given keys, or those in `TENON_KEYS`; undefined if there are none. */
export function chooseKeys(given: Keys | undefined): Keys | undefined {
  if (given !== undefined && !(Array.isArray(given) && given.every(isKey))) {
    throw new UsageError('keys must be a list of secrets, each a text or a Uint8Array: keys: [secret]');
  }
  return given?.length ? given : keysFromEnvironment();
}

/** The bytes of a key, which later changes of the given ones do not reach. */
export function readKey(secret: string | Uint8Array): Bytes {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : Uint8Array.from(secret);
  if (bytes.length >= MIN_KEY_BYTES) return bytes;
  throw new UsageError(
    `a key must have at least ${MIN_KEY_BYTES} bytes, this one has ${bytes.length}; ` +
      'make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"',
  );
}

function isKey(key: unknown): boolean {
  return typeof key === 'string' || key instanceof Uint8Array;
}

/** The keys in `TENON_KEYS`, separated by commas; undefined if it is not set, or if there is no environment. */
function keysFromEnvironment(): readonly string[] | undefined {
  const keys = readVariable('TENON_KEYS')
    ?.split(',')
    .map(key => key.trim());
  return keys?.some(key => key !== '') ? keys.filter(key => key !== '') : undefined;
}

function readVariable(name: string): string | undefined {
  const runtime = globalThis as { process?: { env?: Record<string, string | undefined> } };
  try {
    return runtime.process?.env?.[name];
  } catch {
    // Some runtimes need a permission to read the environment.
    return undefined;
  }
}

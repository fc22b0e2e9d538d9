import { UsageError } from '../../base/errors.js';

type Keys = readonly (string | Uint8Array)[];

/** The given keys, or those in `TENON_KEYS`; undefined if there are none. */
export function chooseKeys(given: Keys | undefined): Keys | undefined {
  if (given !== undefined && !(Array.isArray(given) && given.every(isKey))) {
    throw new UsageError('keys must be a list of secrets, each a text or a Uint8Array: keys: [secret]');
  }
  return given?.length ? given : keysFromEnvironment();
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

/** The keys in `TENON_KEYS`, separated by commas; undefined if it is not set, or if there is no environment. */
export function keysFromEnvironment(): readonly string[] | undefined {
  const runtime = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const keys = runtime.process?.env?.TENON_KEYS?.split(',').map(key => key.trim());
  return keys?.some(key => key !== '') ? keys.filter(key => key !== '') : undefined;
}

/** The keys in `TENON_KEYS`, separated by commas; undefined if it is not set. */
export function keysFromEnvironment(): readonly string[] | undefined {
  const keys = process.env.TENON_KEYS?.split(',').map(key => key.trim());
  return keys?.some(key => key !== '') ? keys.filter(key => key !== '') : undefined;
}

/**
 * The granted scopes with all scopes that they include, directly or through others.
 *
 * @example
 * expandScopes(['admin'], { admin: ['write'], write: ['read'] }); // ['admin', 'write', 'read']
 */
export function expandScopes(
  granted: readonly string[],
  includes: Readonly<Record<string, readonly string[]>>,
): string[] {
  const scopes = new Set(granted);
  // A loop over a set also visits the elements that are added during it.
  for (const scope of scopes) {
    for (const included of Object.hasOwn(includes, scope) ? (includes[scope] ?? []) : [])
      scopes.add(included);
  }
  return [...scopes];
}

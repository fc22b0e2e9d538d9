/**
 * Scopes with everything that they include, directly or by way of others.
 *
 * @example
 * expandScopes(['admin'], { admin: ['write'], write: ['read'] }); // ['admin', 'write', 'read']
 */
export function expandScopes(
  granted: readonly string[],
  includes: Readonly<Record<string, readonly string[]>>,
): string[] {
  const scopes = new Set(granted);
  // What is added while going through a set is gone through, too.
  for (const scope of scopes) {
    for (const included of Object.hasOwn(includes, scope) ? (includes[scope] ?? []) : [])
      scopes.add(included);
  }
  return [...scopes];
}

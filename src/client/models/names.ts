import { fingerprint } from '../../base/canonical.js';

/** The names of functions that every vendor accepts. */
export const FUNCTION_NAME = /^[a-z_][\w-]{0,63}$/i;

/** What is kept of a name, so that with the fingerprint after it it is never above 64 characters. */
const KEPT_CHARACTERS = 48;

/**
 * A name that fits a pattern for each name. Names that fit stay as they are; others are shortened, with a fingerprint of
 * the whole name at the end, so that one name gives the same every time and two names give two.
 */
export function modelNames(names: readonly string[], pattern: RegExp): Map<string, string> {
  const given = new Map(names.filter(name => pattern.test(name)).map(name => [name, name]));
  const taken = new Set(given.keys());
  // Sorted, so that the order of the list does not matter where two fingerprints are equal.
  for (const name of [...new Set(names)].sort()) {
    if (given.has(name)) continue;
    const start = name
      .replace(/\W/g, '_')
      .replace(/^(?=\d)|^$/, '_')
      .slice(0, KEPT_CHARACTERS);
    let short = `${start}_${fingerprint(name)}`;
    for (let at = 2; taken.has(short); at++) short = `${start}_${fingerprint(`${name} ${at}`)}`;
    taken.add(short);
    given.set(name, short);
  }
  return given;
}

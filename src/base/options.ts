import { UsageError } from './errors.js';
import { isObject, quoteBriefly } from './json.js';

/** What the value of an option must be, if it is set; 1 if the code that uses it checks that. */
export type OptionKind =
  | 1
  | 'a text'
  | 'a function'
  | 'a list'
  | 'an object'
  | 'an AbortSignal'
  | 'a number, 0 or more';

/** All options of a type, by name. As a type it fails to compile when one is missing. */
export type OptionNames<T> = { readonly [K in keyof T]-?: OptionKind };

/**
 * Throws if options are not an object, have an unknown name, or a value of another kind. `what` names the function that
 * takes them.
 */
export function checkOptions(
  options: unknown,
  known: Readonly<Record<string, OptionKind>>,
  what: string,
): void {
  if (!isObject(options)) throw new UsageError(`the options of ${what} must be an object`);
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(known, name)) {
      const kind = known[name];
      if (value === undefined || isOfKind(value, kind)) continue;
      // A text that should have been something else may be a secret.
      const is = typeof value === 'string' && kind !== 'a number, 0 or more' ? 'a text' : quoteBriefly(value);
      throw new UsageError(`${name} of ${what} must be ${kind}, not ${is}`);
    }
    const names = Object.keys(known);
    const near = nearest(name, names);
    const remedy = near ? `did you mean "${near}"?` : `it has ${names.join(', ') || 'none'}`;
    throw new UsageError(`${what} has no option "${name}"; ${remedy}`);
  }
}

/** Throws if a member is named almost like one that is known. Others are passed on: they may be of another SDK. */
export function checkSpelling(value: object, known: readonly string[], what: string): void {
  for (const name of Object.keys(value)) {
    const near = known.includes(name) ? undefined : nearest(name, known);
    if (near) throw new UsageError(`${what} has a member "${name}"; did you mean "${near}"?`);
  }
}

function isOfKind(value: unknown, kind: OptionKind | undefined): boolean {
  switch (kind) {
    case 'a text':
      return typeof value === 'string';
    case 'a function':
      return typeof value === 'function';
    case 'a list':
      return Array.isArray(value);
    case 'an object':
      return typeof value === 'object' && value !== null;
    case 'an AbortSignal':
      // Not by its class: there are several, as in frames and tests.
      return typeof (value as AbortSignal | null)?.addEventListener === 'function';
    case 'a number, 0 or more':
      return typeof value === 'number' && value >= 0;
    default:
      return true;
  }
}

/** The name that was probably meant, if one is similar enough. */
function nearest(written: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map(name => ({ name, similarity: similarity(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ similarity }) => similarity > 0.5)
    .sort((a, b) => b.similarity - a.similarity);
  return best?.name;
}

/** Similarity of two names from 0 to 1: the shared part at both ends. Swapped or extra letters count as similar. */
function similarity(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same++;
  let end = 0;
  while (same + end < shorter && one.at(-1 - end) === other.at(-1 - end)) end++;
  const isPart = shorter > 2 && (one.includes(other) || other.includes(one));
  const isSwapped = [...one].sort().join() === [...other].sort().join();
  return isPart || isSwapped ? 0.9 : (same + end) / Math.max(one.length, other.length);
}

import { UsageError } from './errors.js';
import { isObject } from './json.js';

/** The names of all options of a type. As a type it fails to compile when one is missing. */
export type OptionNames<T> = { readonly [K in keyof T]-?: 1 };

/** Throws if options are not an object, or have an unknown name. `what` names the function that takes them. */
export function checkOptions(options: unknown, known: Readonly<Record<string, 1>>, what: string): void {
  if (!isObject(options)) throw new UsageError(`the options of ${what} must be an object`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const near = nearest(name, Object.keys(known));
    const remedy = near ? `did you mean "${near}"?` : `it has ${Object.keys(known).join(', ')}`;
    throw new UsageError(`${what} has no option "${name}"; ${remedy}`);
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

import { UsageError } from './errors.js';
import { isObject } from './json.js';

/** The names of all options of a kind. As a type it fails to compile when one is missing. */
export type OptionNames<T> = { readonly [K in keyof T]-?: 1 };

/** Throws if options are no object, or have a name that is not known. `what` takes them. */
export function checkOptions(options: unknown, known: Readonly<Record<string, 1>>, what: string): void {
  if (!isObject(options)) throw new UsageError(`the options of ${what} must be an object`);
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    const near = nearest(name, Object.keys(known));
    const remedy = near ? `did you mean "${near}"?` : `it has ${Object.keys(known).join(', ')}`;
    throw new UsageError(`${what} has no option "${name}"; ${remedy}`);
  }
}

/** The name that was probably meant, if one is near enough. */
function nearest(written: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map(name => ({ name, far: distance(written.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, far }) => far <= name.length / 3 || isLike(written.toLowerCase(), name.toLowerCase()))
    .sort((a, b) => a.far - b.far);
  return best?.name;
}

/** Whether one is a part of the other, or has the same letters in another order. */
function isLike(one: string, other: string): boolean {
  if ([...one].sort().join() === [...other].sort().join()) return true;
  return Math.min(one.length, other.length) > 2 && (one.includes(other) || other.includes(one));
}

/** How many letters have to be changed, added or taken away. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}

import { isSameValue, isVolatileName } from './volatile.js';

/** A value that is not what was recorded. A side that has no such value leaves it out. */
export interface Difference {
  /** A JSON path, such as `$.result.content[0].text`. */
  readonly path: string;
  readonly recorded?: unknown;
  readonly now?: unknown;
}

/** What differs between a recorded value and the one of now, except at the paths that are ignored. */
export function compare(recorded: unknown, now: unknown, isIgnored: (path: string) => boolean): Difference[] {
  const found: Difference[] = [];
  const visit = (path: string, name: string, left: unknown, right: unknown): void => {
    if (isIgnored(path) || isVolatileName(name)) return;
    const [leftMembers, rightMembers] = [membersOf(left), membersOf(right)];
    if (!leftMembers || !rightMembers || Array.isArray(left) !== Array.isArray(right)) {
      if (!isSameValue(name, left, right)) found.push(difference(path, left, right));
      return;
    }
    for (const key of new Set([...leftMembers.keys(), ...rightMembers.keys()])) {
      const name = String(key);
      visit(join(path, key), name, leftMembers.get(key), rightMembers.get(key));
    }
  };
  visit('$', '', recorded, now);
  return found;
}

function difference(path: string, recorded: unknown, now: unknown): Difference {
  return { path, ...(recorded !== undefined && { recorded }), ...(now !== undefined && { now }) };
}

/** Members of an object, or of a list: by their names where all have different ones, as tools have. */
function membersOf(value: unknown): Map<string | number, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const names = value.map(nameOf);
  const isNamed = names.every(name => name !== undefined) && new Set(names).size === names.length;
  return new Map(value.map((one, index) => [isNamed ? (names[index] as string) : index, one]));
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { uri, uriTemplate, name } = value as Record<string, unknown>;
  return [uri, uriTemplate, name].find(one => typeof one === 'string') as string | undefined;
}

function join(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  return /^[\w$-]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
}

import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.js';

/**
 * How many levels must not repeat a name: a message, its `params`, `_meta` and `arguments`, and the objects in these. A
 * batch is a level, too.
 */
export const ENVELOPE_DEPTH = 4;

/** How many members a parsed value has in its outer levels. A repeated name counts once. */
export function countMembers(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    if (levels > 1) for (const item of value) count += countMembers(item, levels - 1);
    return count;
  }
  for (const name in value) {
    count++;
    if (levels > 1) count += countMembers((value as Record<string, unknown>)[name], levels - 1);
  }
  return count;
}

/** How many colons a text has. If it has as many as its value has members, no name is repeated anywhere. */
export function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count++;
  return count;
}

/** The first name in the outer levels of a JSON text that its object has already. */
export function findRepeatedName(text: string): string | undefined {
  /** For each open array or object, the names so far. */
  const names: Set<string>[] = [];
  for (let at = 0; at < text.length; ) {
    const begin = at++;
    switch (text.charCodeAt(begin)) {
      case QUOTE: {
        at = endOfString(text, at);
        const known = names.length <= ENVELOPE_DEPTH ? names.at(-1) : undefined;
        if (!known || !isName(text, at)) break;
        const name: string = JSON.parse(text.slice(begin, at));
        if (known.has(name)) return name;
        known.add(name);
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        names.push(new Set());
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        names.pop();
        break;
    }
  }
  return undefined;
}

/** Whether the string that ends here is a name. */
function isName(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}

const SPACE = 32;

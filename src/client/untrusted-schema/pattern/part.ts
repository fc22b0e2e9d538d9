// What is known about a part of a pattern before it runs. An engine without backtracking keeps, for each
// character of a text, the list of places in the pattern that a match could have reached. How long that list
// can get is what a character costs.

export interface Part {
  /** In the syntax of RE2. */
  readonly source: string;
  /** The number of places in it. */
  readonly size: number;
  /** The largest number of places that can be reached at once after entering it once. */
  readonly width: number;
  /** The number of characters that it matches, if that is always the same. */
  readonly length: number | undefined;
  /** Whether it matches only at the beginning of a text. */
  readonly isAnchored: boolean;
}

export function character(source: string): Part {
  return { source, size: 1, width: 1, length: 1, isAnchored: false };
}

/** Something between characters: `^`, `\b`, or nothing at all. */
export function assertion(source: string): Part {
  return { source, size: 1, width: 1, length: 0, isAnchored: source === '^' };
}

export function sequence(first: Part, next: Part): Part {
  return {
    source: first.source + next.source,
    size: first.size + next.size,
    width: widthOfSequence(first, next),
    length: first.length === undefined || next.length === undefined ? undefined : first.length + next.length,
    isAnchored: first.isAnchored || (first.length === 0 && next.isAnchored),
  };
}

function widthOfSequence(first: Part, next: Part): number {
  // It can be entered again and again while earlier matches are still under way.
  if (first.length === undefined) return first.width + next.size;
  return first.length === 0 ? first.width + next.width : Math.max(first.width, next.width);
}

export function choice(parts: readonly Part[]): Part {
  const [first] = parts;
  if (parts.length === 1) return first!;
  return {
    source: `(?:${parts.map(part => part.source).join('|')})`,
    size: total(parts.map(part => part.size)),
    width: total(parts.map(part => part.width)),
    length: parts.every(part => part.length === first!.length) ? first!.length : undefined,
    isAnchored: parts.every(part => part.isAnchored),
  };
}

export function repetition(part: Part, least: number, most: number): Part {
  const copies = Math.max(1, most === Number.POSITIVE_INFINITY ? least : most);
  const exits = least === most ? 0 : 1;
  const size = (part.size + exits) * copies;
  return {
    source: `(?:${part.source}){${least},${most === Number.POSITIVE_INFINITY ? '' : most}}`,
    size,
    width: isSingleFile(part, most) ? part.width + exits : size,
    length: least === most && part.length !== undefined ? part.length * least : undefined,
    isAnchored: least > 0 && part.isAnchored,
  };
}

/** Whether one round is over when the next begins: there is but one, or all take the same time. */
function isSingleFile(part: Part, most: number): boolean {
  return most <= 1 || (part.length !== undefined && part.length > 0);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

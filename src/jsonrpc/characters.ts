/** The structural characters of JSON, as `charCodeAt` returns them. */
export const QUOTE = 34;
export const COMMA = 44;
export const COLON = 58;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

/** Strings of at least this length are searched with `indexOf`. */
export const LONG_STRING = 64;

/**
 * The position after the closing quote of a string whose first character is at `begin`; -1 if there is none. Most
 * strings are short; in a long one it is faster to search for the next quote.
 */
export function endOfString(text: string, begin: number): number {
  for (let at = begin; ; ) {
    for (const near = at + LONG_STRING; at < near; at++) {
      const char = text.charCodeAt(at);
      if (char === QUOTE) return at + 1;
      if (char === BACKSLASH) at++;
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) return -1;
    let slashes = 0;
    while (quote - slashes > at && text.charCodeAt(quote - slashes - 1) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

/** The characters that give JSON its structure, as `charCodeAt` tells them. */
export const QUOTE = 34;
export const COMMA = 44;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;

/** From this length on, strings are read in long strides. */
export const LONG_STRING = 64;

/**
 * Where a string is over that has its first character at `begin`: after the quote; -1 if it never is. Most are short;
 * in a long one it is faster to look for the next quote.
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

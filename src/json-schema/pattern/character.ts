export type CharacterTest = (char: string) => boolean;

/**
 * Which characters a part of a pattern such as `a`, `\s` or `[^a-z]` matches. JavaScript knows, and takes no risk
 * with one character at a time.
 */
export function testFor(source: string): CharacterTest {
  if (source !== '.' && !/^[\\[]/.test(source)) return char => char === source;
  const regExp = inUnicodeMode(source) ?? new RegExp(`^(?:${source})+$`);
  return char => regExp.test(char);
}

function inUnicodeMode(source: string): RegExp | undefined {
  try {
    return new RegExp(`^${source}$`, 'u');
  } catch {
    return undefined; // Older patterns escape what need not be escaped.
  }
}

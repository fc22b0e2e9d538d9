export type CharacterTest = (char: string) => boolean;

/**
 * Tests for a part of a pattern that stands for one character, such as `a`, `\s` or `[^a-z]`. JavaScript's own
 * engine is safe here, because it sees one character at a time.
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
    return undefined; // Older patterns escape characters that need no escape.
  }
}

import { expect, it } from 'vitest';
import { plainLine, plainText } from './plain-text.js';

it.each([
  ['colours', '\x1b[31mred\x1b[0m', 'red'],
  ['cursor movements', 'a\x1b[2J\x1b[Hb', 'ab'],
  ['8-bit sequences', 'a\x9b31mb', 'ab'],
  ['titles and links', '\x1b]0;title\x07a\x1b]8;;https://evil.example\x1b\\b', 'ab'],
  ['the clipboard', '\x1b]52;c;c3RvbGVu\x07a', 'a'],
  ['device strings', '\x1bPq#0\x1b\\a', 'a'],
  ['sequences without an end', 'a\x1b]0;title', 'a'],
  ['single escapes', 'a\x1bcb', 'ab'],
  ['bells, backspaces and carriage returns', 'a\x07b\x08c\rd', 'abcd'],
  ['marks that turn the direction', 'a\u202eb\u2066c', 'abc'],
])('texts lose %s', (_, text, expected) => {
  expect(plainText(text)).toBe(expected);
});

it('texts keep their lines, tabs and letters', () => {
  expect(plainText('a\r\n\tb é 日本 🍷')).toBe('a\n\tb é 日本 🍷');
  expect(plainLine(' a\n\n b ')).toBe('a b');
});

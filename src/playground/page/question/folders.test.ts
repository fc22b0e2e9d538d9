import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readFolders } from './folders.js';

it.each([
  ['/home/ada/my recipes', 'file:///home/ada/my%20recipes'],
  ['/tmp/100%#?', 'file:///tmp/100%25%23%3F'],
  ['recipes', 'file:///recipes'],
  ['C:\\Users\\Ada', 'file:///C:/Users/Ada'],
  ['file:///srv', 'file:///srv'],
])('writes %s as %s', (path, uri) => {
  expect(readFolders(path)).toEqual([{ uri }]);
  if (path.startsWith('/')) expect(fileURLToPath(uri)).toBe(path);
});

it('reads one folder from each line, and none from empty ones', () => {
  expect(readFolders(' /a \n\n/b\n')).toEqual([{ uri: 'file:///a' }, { uri: 'file:///b' }]);
  expect(readFolders('')).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { compare } from './compare.js';
import { readIgnoredPath } from './ignored-paths.js';

const RECORDED = { result: { content: [{ text: 'a' }, { text: 'b' }], price: 1, 'odd name': { price: 2 } } };
const NOW = { result: { content: [{ text: 'x' }, { text: 'y' }], price: 3, 'odd name': { price: 4 } } };

function differences(...paths: string[]): string[] {
  const patterns = paths.reduce<RegExp[]>((previous, path) => readIgnoredPath(path, previous), []);
  return compare(RECORDED, NOW, path => patterns.some(pattern => pattern.test(path))).map(({ path }) => path);
}

describe('--ignore of tenon replay', () => {
  it.each([
    [
      [],
      [
        '$.result.content[0].text',
        '$.result.content[1].text',
        '$.result.price',
        '$.result["odd name"].price',
      ],
    ],
    [['$.result.content[*].text'], ['$.result.price', '$.result["odd name"].price']],
    [['$..price'], ['$.result.content[0].text', '$.result.content[1].text']],
    [
      ['$.result.content[1]', '$.result.price'],
      ['$.result.content[0].text', '$.result["odd name"].price'],
    ],
    [['$.result.content', '$.result["odd name"]'], ['$.result.price']],
    [['$.result.pric'], differences()],
    [['$'], []],
  ])('%j leaves %j', (paths, left) => {
    expect(differences(...paths)).toEqual(left);
  });

  it.each(['price', '$.', '$[x]', '$.a b'])('refuses %s', path => {
    expect(() => readIgnoredPath(path)).toThrow('It is a JSON path');
  });
});

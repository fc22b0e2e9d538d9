import { expect, it } from 'vitest';
import { coloursFor } from './colours.js';
import { showStructure } from './structure.js';

const show = (value: unknown, width = 80) => showStructure(value, coloursFor({}, {}), width).join('\n');

it('rows of flat objects are a table', () => {
  const rows = [
    { id: 'window', seats: 2 },
    { id: 'terrace', seats: 8, note: 'a\nb' },
  ];
  expect(show(rows)).toBe('id       seats  note\nwindow   2\nterrace  8      a b');
});

it('everything else is a tree, with tables in it', () => {
  const value = {
    name: 'Chez Nous',
    open: true,
    tags: ['a', 'b'],
    none: [],
    deep: { x: { y: null } },
    rows: [{ a: 1 }],
  };
  expect(show(value)).toBe(
    [
      'name  Chez Nous',
      'open  true',
      'tags',
      '  - a',
      '  - b',
      'none  (none)',
      'deep',
      '  x',
      '    y  null',
      'rows',
      '  a',
      '  1',
    ].join('\n'),
  );
});

it('long lists and deep values are cut', () => {
  expect(show(Array.from({ length: 600 }, (_, id) => ({ id })))).toMatch(/… and 100 more$/);
  let deep: unknown = 'end';
  for (let level = 0; level < 100; level++) deep = [deep];
  expect(show(deep)).toContain('…');
});

it('wide cells are cut at the width of the terminal', () => {
  for (const line of show([{ a: 'x'.repeat(200), b: 'y' }], 40).split('\n'))
    expect(line.length).toBeLessThanOrEqual(40);
});

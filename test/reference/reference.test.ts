import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { examplesIn, publicDeclarations } from './declarations.js';
import { compile, publicExamples } from './examples.js';
import { FOLDER, referencePages } from './pages.js';

// If one of these fails after a change of comments or types: npm run build && npm run docs:reference.

it('docs/reference is as the source is', () => {
  const pages = referencePages();
  const files = readdirSync(`${ROOT}/${FOLDER}`).map(name => `${FOLDER}/${name}`);
  expect(files.sort()).toEqual([...pages.keys()].sort());
  for (const [path, text] of pages) expect(readFileSync(`${ROOT}/${path}`, 'utf8'), path).toBe(text);
});

it('every export has a comment', () => {
  const silent = [...publicDeclarations()].flatMap(([subpath, names]) =>
    [...names].filter(([, { description }]) => description === '').map(([name]) => `${name} of ${subpath}`),
  );
  expect(silent).toEqual([]);
});

it('every function and class has an example', () => {
  const without = [...publicDeclarations()].flatMap(([subpath, names]) =>
    [...names]
      .filter(([, { kind }]) => kind === 'function' || kind === 'class')
      .filter(([, { examples, signature }]) => [...examples, ...examplesIn(signature)].length === 0)
      .map(([name]) => `${name} of ${subpath}`),
  );
  expect(without).toEqual([]);
});

it('every example in a comment compiles', async () => {
  const examples = publicExamples();
  expect(examples.length).toBeGreaterThan(90);
  expect(await compile(examples)).toBe('');
});

it('an example that does not compile is found', async () => {
  const code = "await client.callTol('reserve');";
  expect(await compile([{ name: 'callTool of tenon/client', code }])).toContain('callTol');
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { blocksIn } from './snippets.js';

const blocks = blocksIn('docs/frameworks.md').map(block => block.split(/(?<=\n)/));

it.each(blocks.map(([head = '', ...lines]) => [head.trim().replace('// ', ''), lines.join('')]))(
  'docs/frameworks.md shows a part of %s, which the tests of runtimes run',
  (example, code) => {
    expect(readFileSync(`${ROOT}/${example}`, 'utf8')).toContain(code);
  },
);

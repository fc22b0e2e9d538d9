import { describe, expect, it } from 'vitest';
import * as vocabulary from '../../src/vocabulary/index.js';
import { blocksIn, importedFrom, runSnippet } from './snippets.js';

const blocks = blocksIn('docs/protocol.md');

describe('the page on tenon/protocol', () => {
  it.each(blocks.map(block => [importedFrom('tenon/protocol', block).join(', '), block]))(
    'shows what %s give',
    async (_, block) => {
      await runSnippet(block, { ...vocabulary });
    },
  );

  it('imports everything that there is, and nothing else', () => {
    const shown = blocks.flatMap(block => importedFrom('tenon/protocol', block));
    expect([...new Set(shown)].sort()).toEqual(Object.keys(vocabulary).sort());
  });

  it('checks the values in comments', async () => {
    await runSnippet('const two = 2;\ntwo; // 2', {});
    await expect(runSnippet('1 + 1; // 3', {})).rejects.toThrow(/to deeply equal 3/);
  });
});

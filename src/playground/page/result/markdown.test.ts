import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostileText } from '../../../../test/playground/hostile-text.js';
import { parseBlocks } from './markdown-blocks.js';
import { type Inline, parseInline } from './markdown-inline.js';

describe('Markdown', () => {
  it('is split into blocks', () => {
    const text =
      '# Menu\n\nTwo lines\nof text\n\n- soup\n  with bread\n- quiche\n\n1. first\n\n> quoted\n\n```js\n# code\n```\n\n---\n\n| dish | price |\n| --- | --- |\n| soup | 5 |';
    expect(parseBlocks(text)).toEqual([
      { type: 'heading', level: 1, text: 'Menu' },
      { type: 'paragraph', text: 'Two lines\nof text' },
      { type: 'list', isOrdered: false, items: ['soup\nwith bread', 'quiche'] },
      { type: 'list', isOrdered: true, items: ['first'] },
      { type: 'quote', text: 'quoted' },
      { type: 'code', text: '# code' },
      { type: 'rule' },
      { type: 'table', head: ['dish', 'price'], rows: [['soup', '5']] },
    ]);
  });

  it('has code, bold and slanted text, and links in its lines', () => {
    const text = (text: string) => ({ type: 'text', text });
    expect(parseInline('a `b*c*` **d** _e_ [f](https://g.example) https://h.example')).toEqual([
      text('a '),
      { type: 'code', text: 'b*c*' },
      text(' '),
      { type: 'strong', inner: [text('d')] },
      text(' '),
      { type: 'emphasis', inner: [text('e')] },
      text(' '),
      { type: 'link', href: 'https://g.example/', inner: [text('f')] },
      text(' '),
      { type: 'link', href: 'https://h.example/', inner: [text('https://h.example/')] },
    ]);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//evil.example',
    'file:///etc',
  ])('leaves a link to %s as text', target => {
    expect(linksIn(parseInline(`[click](${target})`))).toEqual([]);
  });

  it('never has a link that runs something, whatever a server sends', () => {
    fc.assert(
      fc.property(hostileText, text => {
        const links = linesIn(text).flatMap(line => linksIn(parseInline(line)));
        for (const href of links) expect(new URL(href).protocol).toMatch(/^(https?|mailto):$/);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps every letter of a paragraph', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z<>&"'=]{1,30}( [a-z<>&"'=]{1,30}){0,5}$/), text => {
        expect(parseBlocks(text).flatMap(block => ('text' in block ? [block.text] : []))).toEqual(
          text.startsWith('>') ? [text.replace(/^>\s?/, '')] : [text],
        );
        expect(parseInline(text)).toEqual([{ type: 'text', text }]);
      }),
    );
  });
});

/** All lines of a text that are parsed further. */
function linesIn(markdown: string): string[] {
  return parseBlocks(markdown).flatMap(block => {
    if (block.type === 'table') return [block.head, ...block.rows].flat();
    if (block.type === 'list') return block.items;
    return 'text' in block ? [block.text] : [];
  });
}

function linksIn(pieces: readonly Inline[]): string[] {
  return pieces.flatMap(piece => [
    ...(piece.type === 'link' ? [piece.href] : []),
    ...('inner' in piece ? linksIn(piece.inner) : []),
  ]);
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { META } from './meta.js';
import { isMetaKey, isReservedUnder, mayAttachUnder } from './meta-key.js';

describe('a key of _meta', () => {
  // covers: 2025-06-18/basic/meta-prefix-is-labels-and-a-slash
  // covers: 2025-06-18/basic/meta-label-begins-with-a-letter
  // covers: 2025-06-18/basic/meta-name-is-alphanumeric-at-its-ends
  it.each([
    'a',
    'name',
    '9',
    'a-b_c.d',
    'com.example/name',
    'com.example/',
    'c/n',
    'c-9.e9/n',
    'a/9',
    ...Object.values(META),
  ])('%s is well formed', key => {
    expect(isMetaKey(key)).toBe(true);
  });

  // covers: 2025-06-18/basic/meta-prefix-is-labels-and-a-slash
  // covers: 2025-06-18/basic/meta-label-begins-with-a-letter
  // covers: 2025-06-18/basic/meta-name-is-alphanumeric-at-its-ends
  it.each([
    '',
    '/',
    '/x',
    'a..b/x',
    '.a/x',
    'a./x',
    'a/b/c',
    '9a/x',
    'a-/x',
    '-a/x',
    'a_b/x',
    'a/-x',
    'a/x-',
    '-x',
    'x.',
    '_x',
    'a b',
    'é',
    'a\n',
    'a/x\n',
    'a\n/x',
  ])('%j is not well formed', key => {
    expect(isMetaKey(key)).toBe(false);
  });

  // covers: 2026-07-28/basic/meta-labels, 2026-07-28/basic/meta-name
  // covers: 2026-07-28/basic/meta-prefix-is-labels
  it('is well formed whatever valid labels and name it is made of', () => {
    const label = fc.stringMatching(/^[A-Za-z]([A-Za-z0-9-]{0,5}[A-Za-z0-9])?$/);
    const name = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9._-]{0,5}[A-Za-z0-9])?$/);
    fc.assert(
      fc.property(
        fc.array(label, { minLength: 1, maxLength: 4 }),
        fc.option(name, { nil: '' }),
        (labels, rest) => {
          expect(isMetaKey(`${labels.join('.')}/${rest}`)).toBe(true);
          expect(isMetaKey(`${labels.join('..')}./${rest}`)).toBe(false);
        },
      ),
    );
  });

  it('is judged in the end, however long it is', () => {
    expect(isMetaKey(`${'a-'.repeat(100_000)}/x`)).toBe(false);
    expect(isMetaKey(`${'a.'.repeat(100_000)}`)).toBe(false);
  });
});

describe('a reserved prefix', () => {
  it.each(['io.modelcontextprotocol/x', 'dev.mcp/', 'org.modelcontextprotocol.api/x', 'com.mcp.tools/x'])(
    'has the protocol as its second label: %s',
    key => {
      expect(isReservedUnder('second-label', key)).toBe(true);
      expect(isReservedUnder('second-label', key)).toBe(true);
    },
  );

  it.each(['com.example.mcp/x', 'mcp.dev/x', 'mcp/x', 'com.mcptools/x', 'io.mcp', 'mcp', 'progressToken'])(
    'is not that of %s',
    key => {
      expect(isReservedUnder('second-label', key)).toBe(false);
    },
  );

  it.each(['modelcontextprotocol.io/x', 'mcp.dev/', 'api.modelcontextprotocol.org/x', 'tools.mcp.com/x'])(
    'had the protocol before another label under the older rule: %s',
    key => {
      expect(isReservedUnder('any-label', key)).toBe(true);
    },
  );

  it.each(['io.modelcontextprotocol/x', 'mcp/x', 'com.example/x', 'mcp.dev'])(
    'was not that of %s under the older rule',
    key => {
      expect(isReservedUnder('any-label', key)).toBe(false);
    },
  );

  it('does not exist where a revision has no rule', () => {
    expect(isReservedUnder('none', 'io.modelcontextprotocol/x')).toBe(false);
    expect(isReservedUnder('none', 'mcp.dev/x')).toBe(false);
  });
});

describe('a key that an application may attach', () => {
  it.each(['com.example/x', 'x', 'com.example.mcp/', 'constructor', 'toString'])('can be %s', key => {
    expect(mayAttachUnder('second-label', key)).toBe(true);
  });

  it.each([...Object.values(META), 'dev.mcp/x', '', '/x', '__proto__'])('cannot be %j', key => {
    expect(mayAttachUnder('second-label', key)).toBe(false);
  });

  it('depends on the rule of the revision, except for the keys without a prefix', () => {
    expect(mayAttachUnder('any-label', 'mcp.dev/x')).toBe(false);
    expect(mayAttachUnder('any-label', 'dev.mcp/x')).toBe(true);
    expect(mayAttachUnder('none', 'dev.mcp/x')).toBe(true);
    expect(mayAttachUnder('none', 'progressToken')).toBe(false);
    expect(mayAttachUnder('none', 'baggage')).toBe(false);
  });
});

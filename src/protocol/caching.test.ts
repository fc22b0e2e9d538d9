import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../base/errors.js';
import { type CacheHint, readCacheHint, withCacheHint } from './caching.js';

describe('reading a cache hint', () => {
  it('returns both fields', () => {
    expect(readCacheHint({ ttlMs: 5000, cacheScope: 'public' })).toEqual({
      ttlMs: 5000,
      cacheScope: 'public',
    });
    expect(readCacheHint({ ttlMs: 0, cacheScope: 'private' })).toEqual({ ttlMs: 0, cacheScope: 'private' });
  });

  it.each([
    {},
    { cacheScope: 'public' },
    { ttlMs: undefined },
    Object.create({ ttlMs: 5 }),
    null,
    undefined,
    'text',
    [5],
  ])('finds none in %j', result => {
    expect(readCacheHint(result)).toBeUndefined();
  });

  it.each([-1, -0, Number.NaN, Infinity, -Infinity, '5000', null, {}])(
    'takes ttlMs %s as stale at once',
    ttlMs => {
      expect(readCacheHint({ ttlMs, cacheScope: 'public' })).toStrictEqual({
        ttlMs: 0,
        cacheScope: 'public',
      });
    },
  );

  it('drops a fraction of a millisecond', () => {
    expect(readCacheHint({ ttlMs: 1.9 })?.ttlMs).toBe(1);
  });

  it.each([undefined, null, 'shared', 'Public', 1])('takes the scope %s as private', cacheScope => {
    expect(readCacheHint({ ttlMs: 1, cacheScope })?.cacheScope).toBe('private');
  });

  it('does not take an inherited scope', () => {
    expect(
      readCacheHint(Object.assign(Object.create({ cacheScope: 'public' }), { ttlMs: 1 }))?.cacheScope,
    ).toBe('private');
  });
});

describe('attaching a cache hint', () => {
  it('leaves the original as it was', () => {
    const original = Object.freeze({ tools: [], ttlMs: 1 });
    expect(withCacheHint(original, { ttlMs: 2, cacheScope: 'public' })).toEqual({
      tools: [],
      ttlMs: 2,
      cacheScope: 'public',
    });
    expect(original).toEqual({ tools: [], ttlMs: 1 });
  });

  it('drops a fraction of a millisecond and the sign of zero', () => {
    expect(withCacheHint({}, { ttlMs: 1.9, cacheScope: 'private' }).ttlMs).toBe(1);
    expect(withCacheHint({}, { ttlMs: -0, cacheScope: 'private' }).ttlMs).toBe(0);
  });

  it.each([-1, Number.NaN, Infinity, '5' as unknown as number])(
    'refuses ttlMs %s and says what it must be',
    ttlMs => {
      expect(() => withCacheHint({}, { ttlMs, cacheScope: 'public' })).toThrow(UsageError);
      expect(() => withCacheHint({}, { ttlMs, cacheScope: 'public' })).toThrow('0 or more');
    },
  );

  it('refuses an unknown scope', () => {
    const hint = { ttlMs: 1, cacheScope: 'shared' } as unknown as CacheHint;
    expect(() => withCacheHint({}, hint)).toThrow(
      'cacheScope must be "public" or "private", but is "shared"',
    );
  });

  it('is undone by reading it', () => {
    const hints = fc.record({
      ttlMs: fc.nat(),
      cacheScope: fc.constantFrom('public' as const, 'private' as const),
    });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), hints, (result, hint) => {
        expect(readCacheHint(withCacheHint(result, hint))).toEqual(hint);
      }),
    );
  });
});

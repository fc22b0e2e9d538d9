import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Discovery, readDiscoverResult, toDiscoverResult } from './discovery.js';
import { META } from './meta.js';

describe('a discovery', () => {
  it('puts each part in its place', () => {
    const discovery: Discovery = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Be nice.',
      serverInfo: { name: 'server', version: '1' },
      cacheHint: { ttlMs: 5, cacheScope: 'public' },
    };
    expect(toDiscoverResult(discovery)).toEqual({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Be nice.',
      ttlMs: 5,
      cacheScope: 'public',
      _meta: { [META.serverInfo]: { name: 'server', version: '1' } },
    });
  });

  it('is read as it was built', () => {
    const discoveries: fc.Arbitrary<Discovery> = fc.record(
      {
        supportedVersions: fc.array(fc.string()),
        capabilities: fc.record({ tools: fc.constant({ listChanged: true }), logging: fc.constant({}) }),
        instructions: fc.string(),
        serverInfo: fc.record({ name: fc.string(), version: fc.string() }),
        cacheHint: fc.record({ ttlMs: fc.nat(), cacheScope: fc.constantFrom('public', 'private') }),
      },
      { requiredKeys: ['supportedVersions', 'capabilities'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(discoveries, discovery => {
        expect(readDiscoverResult(JSON.parse(JSON.stringify(toDiscoverResult(discovery))))).toEqual(
          discovery,
        );
      }),
    );
  });

  it.each([
    undefined,
    null,
    [],
    {},
    { supportedVersions: ['2026-07-28'] },
    { capabilities: {} },
    { supportedVersions: '2026-07-28', capabilities: {} },
    { supportedVersions: [20260728], capabilities: {} },
    { supportedVersions: [], capabilities: [] },
  ])('is not read from %j', value => {
    expect(readDiscoverResult(value)).toBeUndefined();
  });

  it('is read without the parts that are malformed', () => {
    const result = {
      supportedVersions: [],
      capabilities: {},
      instructions: 5,
      _meta: { [META.serverInfo]: { name: 'server' } },
    };
    expect(readDiscoverResult(result)).toEqual({ supportedVersions: [], capabilities: {} });
  });
});

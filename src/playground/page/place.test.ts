import fc from 'fast-check';
import { expect, it } from 'vitest';
import { linkTo, type Place, readPlace } from './place.js';

const text = fc.string({ unit: 'binary' });
const places: fc.Arbitrary<Place> = fc.record({
  subject: fc.option(
    fc.record({ kind: fc.constantFrom('tool', 'resource', 'template', 'prompt'), name: text }),
    { nil: undefined },
  ),
  revision: fc.constantFrom('newest', '2025-06-18'),
  compare: fc.option(fc.constantFrom('2026-07-28'), { nil: undefined }),
  args: fc.option(fc.json(), { nil: undefined }),
});

it('leads to any place by its link', () => {
  fc.assert(
    fc.property(places, place => {
      expect(readPlace(linkTo(place))).toEqual(place);
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Slots } from './slots.js';

/** Something comes, or the one that is at a place among those present goes. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('come' as const) },
    { weight: 2, arbitrary: fc.record({ goes: fc.nat() }) },
  ),
  { maxLength: 200 },
);

describe('slots', () => {
  it('hold what a set would hold, however things come and go', () => {
    fc.assert(
      fc.property(steps, taken => {
        const slots = new Slots<object>();
        const model = new Set<object>();
        /** Where the things are that have not gone yet. */
        const places = new Map<object, number>();
        for (const step of taken) {
          if (step === 'come') {
            const item = {};
            model.add(item);
            places.set(item, slots.add(item));
          } else if (model.size > 0) {
            const item = [...model][step.goes % model.size] as object;
            model.delete(item);
            slots.remove(places.get(item) as number);
            places.delete(item);
          }
          const held = [...slots];
          expect(slots.size).toBe(model.size);
          expect(held.length).toBe(model.size);
          // By identity: the things look all the same.
          expect(held.every(item => model.has(item))).toBe(true);
          expect(new Set(held).size).toBe(model.size);
          expect(new Set(places.values()).size).toBe(model.size);
        }
      }),
    );
  });

  it('have no more places than there were things at the same time', () => {
    fc.assert(
      fc.property(steps, taken => {
        const slots = new Slots<object>();
        const present: number[] = [];
        let most = 0;
        for (const step of taken) {
          if (step !== 'come') {
            const [gone] = present.splice(step.goes % Math.max(present.length, 1), 1);
            if (gone !== undefined) slots.remove(gone);
            continue;
          }
          const place = slots.add({});
          present.push(place);
          most = Math.max(most, present.length);
          expect(place).toBeLessThan(most);
        }
      }),
    );
  });

  it('hold one thing twice if it comes twice, and any value that is one', () => {
    const slots = new Slots<unknown>();
    const places = [0, '', false, null, 'twice', 'twice'].map(item => slots.add(item));
    expect([...slots]).toEqual([0, '', false, null, 'twice', 'twice']);
    slots.remove(places[4] as number);
    expect([...slots]).toEqual([0, '', false, null, 'twice']);
    expect(slots.size).toBe(5);
  });

  it('can be gone through while those that were met go', () => {
    const slots = new Slots<{ place: number }>();
    const items = Array.from({ length: 5 }, () => {
      const item = { place: 0 };
      item.place = slots.add(item);
      return item;
    });
    const met: unknown[] = [];
    for (const item of slots) {
      met.push(item);
      slots.remove(item.place);
    }
    expect(met).toEqual(items);
    expect(slots.size).toBe(0);
  });
});

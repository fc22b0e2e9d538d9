import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, User } from './host.js';

const TRAVELLER = { name: 'Ada' };
const WHOLE_TRIP = {
  'How long': { nights: 3 },
  'Room ': { agreed: true },
  'Who will': TRAVELLER,
  'What would': { meal: 'breakfast' },
};

/** Whatever the client, the transport and the revision: the example does the same. */
export function describeDesk(revision: string, connect: () => Promise<Host>): void {
  let host: Host;
  let booked = 0;

  beforeAll(async () => {
    host = await connect();
  });
  afterAll(() => host.close());

  async function bookTrip(user: User) {
    host.user = user;
    booked++;
    return host.callTool('book_trip', { city: 'Oslo' });
  }

  describe('the travel desk', () => {
    it('is asked in the revision that the test is about', () => {
      expect(host.revision).toBe(revision);
    });

    it('books a trip after two questions and a pair of questions', async () => {
      const user = new User(WHOLE_TRIP);
      const { text, isError } = await bookTrip(user);
      expect(text).toBe(`Booked: room ${booked} in Oslo for Ada, 3 nights, 240 euros, meal: breakfast.`);
      expect(isError).toBe(false);
      expect(user.asked.slice(0, 2)).toEqual([
        'How long will you stay in Oslo?',
        `Room ${booked} in Oslo costs 240 euros. Take it?`,
      ]);
      expect(user.asked.slice(2).sort()).toEqual(['What would you like with the room?', 'Who will travel?']);
    });

    it('asks again, with the reason, when an answer does not fit', async () => {
      const user = new User({ ...WHOLE_TRIP, 'How long': [{ nights: 0 }, { nights: 2 }] });
      const { text } = await bookTrip(user);
      expect(text).toContain('2 nights, 160 euros');
      expect(user.asked).toHaveLength(5);
      expect(user.asked[1]).toMatch(
        /^How long will you stay in Oslo\?\n\(The last answer did not fit: nights/,
      );
    });

    it('does not go on when the user declines the first question', async () => {
      host.user = new User({ 'How long': 'decline' });
      const { text, isError } = await host.callTool('book_trip', { city: 'Oslo' });
      expect({ text, isError }).toEqual({ text: 'No trip was booked.', isError: true });
      expect(host.user.asked).toHaveLength(1);
    });

    it('keeps what a step has done when the user cancels a later question', async () => {
      const { text, isError } = await bookTrip(new User({ ...WHOLE_TRIP, 'Room ': 'cancel' }));
      expect({ text, isError }).toEqual({ text: `Room ${booked} was not taken.`, isError: true });
    });

    it('may be told one half of a pair of answers', async () => {
      const { text } = await bookTrip(new User({ ...WHOLE_TRIP, 'What would': 'decline' }));
      expect(text).toContain('for Ada, 3 nights, 240 euros, meal: none.');
    });

    it('has run the step once per call, over all rounds', async () => {
      const { text } = await bookTrip(new User(WHOLE_TRIP));
      expect(text).toContain(`room ${booked} in Oslo`);
      if (host.desk) expect(host.desk.holds.map(({ number }) => number)).toEqual(range(1, booked));
    });

    it('asks in a prompt', async () => {
      host.user = new User({ 'What will you do': { activity: 'hiking' } });
      expect(await host.getPrompt('packing_list', { city: 'Oslo' })).toBe(
        'Write a short packing list for a trip to Oslo. Plans: hiking.',
      );
      expect(host.user.asked).toEqual(['What will you do in Oslo?']);
    });

    it('asks in a resource', async () => {
      host.user = new User({ 'Which name': TRAVELLER });
      expect(await host.readResource('voucher://1')).toBe('Voucher 1: 3 nights in Oslo for Ada');
      expect(host.user.asked).toEqual(['Which name is the booking in?']);
    });

    it('shows no voucher to somebody who does not know the name', async () => {
      host.user = new User({ 'Which name': { name: 'Eve' } });
      await expect(host.readResource('voucher://1')).rejects.toThrow('resource not found: voucher://1');
    });
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => from + at);
}

// A travel desk that asks. Three handlers, each written once; clients of every revision can use them.
//
// A server asks clients of 2025-11-25 and older while the request waits. Since 2026-07-28 a server cannot ask: it answers
// "I need input", and the client calls again with the answers, perhaps on another machine. Tenon then runs the handler
// again from the top, with the earlier answers and the results of steps at hand.
//
// So there is one rule: effects that must not happen twice go into `ctx.step`.
import { type Context, resourceNotFound, Server } from 'tenon';
import { z } from 'zod';

/** A room that is kept for somebody. */
export interface Hold {
  number: number;
  city: string;
  nights: number;
  name?: string;
}

/** `holds` stands for the database of a real travel desk. */
export function createTravelDesk(holds: Hold[] = []): Server {
  const server = new Server({ name: 'travel-desk', version: '1.0.0' });

  // A tool that asks two questions one after the other, and then two at once.
  server.tool(
    'book_trip',
    {
      description: 'Books a room in a city. Asks the user for what it needs to know',
      input: z.object({ city: z.string().min(1) }),
    },
    async ({ city }, ctx) => {
      // A question is a form. The schema checks and types the answer; if the answer does not fit, the form is shown
      // again with the reason.
      const stay = await ctx.elicit(`How long will you stay in ${city}?`, stayForm);
      // The user may also say no ("decline") or close the form ("cancel").
      if (stay.action !== 'accept') return ctx.error('No trip was booked.');
      const { nights } = stay.content;

      // Everything above this line runs again in every later round. This step does not: it runs once per request, and
      // later rounds get the number that it returned.
      const number = await ctx.step('hold a room', () => {
        holds.push({ number: holds.length + 1, city, nights });
        return holds.length;
      });

      // Questions may depend on arguments, on earlier answers, and on results of steps.
      const price = nights * 80;
      const deal = await ctx.elicit(`Room ${number} in ${city} costs ${price} euros. Take it?`, dealForm);
      if (deal.action !== 'accept' || !deal.content.agreed) return ctx.error(`Room ${number} was not taken.`);

      // Questions that do not depend on each other go out together.
      const [traveller, extras] = await Promise.all([
        ctx.elicit('Who will travel?', travellerForm),
        ctx.elicit('What would you like with the room?', extrasForm),
      ]);
      if (traveller.action !== 'accept') return ctx.error('A booking needs a name.');
      const { name } = traveller.content;
      const meal = extras.action === 'accept' ? extras.content.meal : 'none';

      await ctx.step('put it in the name of the traveller', () => {
        Object.assign(holds[number - 1] ?? {}, { name });
      });
      return `Booked: room ${number} in ${city} for ${name}, ${nights} nights, ${price} euros, meal: ${meal}.`;
    },
  );

  // Prompts can ask, too.
  server.prompt(
    'packing_list',
    { description: 'What to pack for a city', input: z.object({ city: z.string() }) },
    async ({ city }, ctx) => {
      const plans = await ctx.elicit(`What will you do in ${city}?`, plansForm);
      const activity = plans.action === 'accept' ? plans.content.activity : 'nothing special';
      return `Write a short packing list for a trip to ${city}. Plans: ${activity}.`;
    },
  );

  // Resources can ask, too: this one shows a voucher only to users who know the name on it.
  server.resource(
    'voucher://{number}',
    { name: 'voucher', description: 'The voucher of a booking', mimeType: 'text/plain' },
    async ({ number }, ctx) => {
      const hold = holds[Number(number) - 1];
      if (!hold?.name || !(await knowsTheName(hold.name, ctx))) throw resourceNotFound(ctx.uri);
      return `Voucher ${hold.number}: ${hold.nights} nights in ${hold.city} for ${hold.name}`;
    },
  );

  return server;
}

/** A helper needs nothing but the context. */
async function knowsTheName(name: string, ctx: Context): Promise<boolean> {
  const answer = await ctx.elicit('Which name is the booking in?', travellerForm);
  return answer.action === 'accept' && answer.content.name === name;
}

// Forms are flat: text, numbers, yes or no, and choices.
const stayForm = z.object({ nights: z.int().min(1).max(30).describe('Nights') });
const dealForm = z.object({ agreed: z.boolean().describe('Yes, take it') });
const travellerForm = z.object({ name: z.string().min(1).describe('Name of the traveller') });
const extrasForm = z.object({ meal: z.enum(['none', 'breakfast', 'dinner']).describe('Meal') });
const plansForm = z.object({ activity: z.string().describe('Hiking, museums, …') });

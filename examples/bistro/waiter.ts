import { fileURLToPath } from 'node:url';
import { type CreateMessageResult, type Server, ToolError } from 'tenon';
import { z } from 'zod';
import { getDish, type House } from './house.ts';
import { icon } from './icon.ts';

/** Tools that ask back: the user, the client's model, and the client itself. */
export function addWaiter(server: Server, house: House): void {
  server.tool(
    'book_party',
    {
      title: 'Book a party',
      description: 'Asks the user what the party needs, and books it',
      input: z.object({ occasion: z.string() }),
      icons: [icon('🎉')],
    },
    async ({ occasion }, ctx) => {
      const party = await ctx.elicit(`A table for the ${occasion}: what do you need?`, partyForm);
      if (party.action !== 'accept') return ctx.error('The user did not want to book.');
      const { guests, diet, terrace } = party.content;
      return `Booked the ${occasion}: ${guests} guests, diet ${diet}, ${terrace ? 'on the terrace' : 'inside'}.`;
    },
  );

  server.tool(
    'recommend_wine',
    {
      title: 'Recommend a wine',
      description: "Asks the client's model for a wine that goes with a dish",
      input: z.object({ dish: z.string() }),
      annotations: { readOnlyHint: true },
      icons: [icon('🍷')],
    },
    async ({ dish }, ctx) => {
      const { name } = getDish(house, dish);
      const reply = await ctx.sample({
        systemPrompt: 'You are the sommelier of a small French bistro. Answer with one wine.',
        messages: [{ role: 'user', content: { type: 'text', text: `Which wine goes with ${name}?` } }],
        maxTokens: 100,
      });
      return `With ${name}: ${textOf(reply)}`;
    },
  );

  server.tool(
    'find_cookbooks',
    {
      title: 'Find cookbooks',
      description: 'Lists the folders of the user in which the chef may look for recipes',
      annotations: { readOnlyHint: true },
      icons: [icon('📚')],
    },
    async (_args, ctx) => {
      const roots = await ctx.roots();
      if (roots.length === 0) throw new ToolError('The client shares no folders.');
      return roots.map(({ uri, name }) => `${name ?? 'a folder'}: ${fileURLToPath(uri)}`).join('\n');
    },
  );
}

const partyForm = z.object({
  guests: z.int().min(2).max(20).describe('How many guests?'),
  diet: z.enum(['any', 'vegetarian', 'vegan']).default('any').describe('What do they eat?'),
  terrace: z.boolean().default(false).describe('On the terrace?'),
});

function textOf({ content }: CreateMessageResult): string {
  const blocks = Array.isArray(content) ? content : [content];
  return blocks.map(block => (block.type === 'text' ? block.text : '')).join('');
}

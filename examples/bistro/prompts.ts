import type { Server } from 'tenon';
import { z } from 'zod';
import { allDishes, DAYS, findDish, getDish, type House, isDay, suggest } from './house.ts';
import { icon } from './icon.ts';
import { writeMenu } from './menu.ts';
import { pictureOf } from './picture.ts';

export function addPrompts(server: Server, house: House): void {
  server.prompt(
    'plan_dinner',
    {
      title: 'Plan a dinner',
      description: 'A dinner around one dish of a day',
      input: z.object({
        day: z.enum(DAYS).describe('When'),
        dish: z.string().describe('The main dish'),
        guests: z.string().optional().describe('How many guests'),
      }),
      icons: [icon('🕯️')],
      complete: {
        day: typed => DAYS.filter(day => day.startsWith(typed.toLowerCase())),
        // Once the day is chosen, only the dishes of that day.
        dish: (typed, { day = '' }) =>
          suggest((isDay(day) && house.menus.get(day)) || allDishes(house), typed),
      },
    },
    ({ day, dish, guests = 'two' }) => [
      {
        type: 'resource',
        resource: { uri: `menu://${day}`, mimeType: 'text/markdown', text: writeMenu(house, day) },
      },
      `Plan a dinner for ${guests} guests on ${day}, around the ${dish}.`,
    ],
  );

  server.prompt(
    'describe_dish',
    {
      title: 'Describe a dish',
      description: 'A line for the menu, from a picture',
      input: z.object({ dish: z.string().refine(dish => findDish(house, dish), 'is on no menu') }),
      icons: [icon('✍️')],
      complete: { dish: typed => suggest(allDishes(house), typed) },
    },
    ({ dish }) => [
      pictureOf(getDish(house, dish)),
      `This is our ${dish}. Describe it in one line for the menu.`,
      { role: 'assistant', content: { type: 'text', text: 'On a white plate,' } },
    ],
  );

  server.prompt(
    'greet',
    { title: 'Greet the guests' },
    () => 'Greet the guests and ask what brings them here.',
  );
}

import { resourceNotFound, type Server, ToolError } from 'tenon';
import { z } from 'zod';
import { DAYS, type Day, type Dish, dayAfter, findDish, getDish, type House, isDay } from './house.ts';
import { icon } from './icon.ts';
import type { Kitchen } from './kitchen.ts';
import { pictureOf } from './picture.ts';

/** The menu of each day as a resource, and the tools that show it and add to it. */
export function addMenu(server: Server, house: House, kitchen: Kitchen): void {
  const menu = server.resource(
    'menu://{day}',
    {
      name: 'menu',
      title: 'Menu of the day',
      description: 'What is served on a day of the week',
      mimeType: 'text/markdown',
      icons: [icon('📋')],
      complete: { day: typed => DAYS.filter(day => day.startsWith(typed.toLowerCase())) },
    },
    ({ day }, ctx) => {
      if (!isDay(day)) throw resourceNotFound(ctx.uri);
      return writeMenu(house, day);
    },
  );

  server.tool(
    'show_menu',
    {
      title: 'Show the menu',
      description: 'The menu of a day, and where to find that of the next',
      input: z.object({ day: z.enum(DAYS) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [icon('📋')],
    },
    ({ day }) => [
      {
        type: 'resource',
        resource: { uri: `menu://${day}`, mimeType: 'text/markdown', text: writeMenu(house, day) },
      },
      {
        type: 'resource_link',
        uri: `menu://${dayAfter(day)}`,
        name: `menu-${dayAfter(day)}`,
        title: `Menu of ${dayAfter(day)}`,
        mimeType: 'text/markdown',
      },
    ],
  );

  server.tool(
    'show_dish',
    {
      title: 'Show a dish',
      description: 'A picture of a dish on its plate',
      input: z.object({ dish: z.string() }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [icon('🖼️')],
    },
    ({ dish }) => [dish, pictureOf(getDish(house, dish))],
  );

  server.tool(
    'list_specials',
    {
      title: 'List the specials',
      description: 'The dishes that are served on a single day only',
      output: z.array(z.string()),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => {
      const served = [...house.menus.values()].flat();
      return served.filter(dish => served.indexOf(dish) === served.lastIndexOf(dish)).map(dish => dish.name);
    },
  );

  server.tool(
    'add_dish',
    {
      title: 'Add a dish',
      description: 'Puts a dish on the menu of a day, and makes a tool to order it',
      input: z.object({ day: z.enum(DAYS), dish: z.string().regex(/^[a-z ]{3,40}$/) }),
      output: z.object({ menu: z.string(), tool: z.string() }),
      annotations: { destructiveHint: false, openWorldHint: false },
      icons: [icon('➕')],
    },
    ({ day, dish }) => {
      if (findDish(house, dish)) throw new ToolError(`"${dish}" is already on a menu.`);
      const added: Dish = { name: dish, steps: ['prepare', 'cook', 'serve'], colour: [120, 150, 70] };
      house.menus.get(day)?.push(added);
      menu.changed(`menu://${day}`);
      const tool = server.tool(
        `order_${dish.replaceAll(' ', '_')}`,
        { title: `Order ${dish}`, description: `Has the kitchen make ${dish}`, icons: [icon('🛎️')] },
        (_args, ctx) => kitchen.cook(added, ctx),
      );
      return { menu: `menu://${day}`, tool: tool.name };
    },
  );
}

export function writeMenu(house: House, day: Day): string {
  const dishes = house.menus.get(day) ?? [];
  return `# ${day}\n\n${dishes.map(dish => `- ${dish.name}\n`).join('')}`;
}

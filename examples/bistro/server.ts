import { Server } from 'tenon';
import { addAbout } from './about.ts';
import { createHouse, type House } from './house.ts';
import { icon } from './icon.ts';
import { addKitchen } from './kitchen.ts';
import { addMenu } from './menu.ts';
import { addPrompts } from './prompts.ts';
import { addTables } from './tables.ts';
import { addWaiter } from './waiter.ts';

/** A small restaurant: every feature of the protocol, each in the file of its topic. */
export function createBistro(house: House = createHouse()): Server {
  const server = new Server(
    {
      name: 'bistro',
      version: '1.0.0',
      title: 'Chez Tenon',
      description: 'A small restaurant that shows what an MCP server can do',
      icons: [icon('🍽️')],
    },
    {
      instructions:
        'Read menu://{day} to see what is served. cook takes a while and reports progress. ' +
        'Ask before you reserve or book anything.',
    },
  );
  const kitchen = addKitchen(server, house);
  addMenu(server, house, kitchen);
  addTables(server, house);
  addWaiter(server, house);
  addPrompts(server, house);
  addAbout(server);
  return server;
}

import { Server } from 'tenon';
import { addAbout } from './about.js';
import { createHouse } from './house.js';
import { icon } from './icon.js';
import { addKitchen } from './kitchen.js';
import { addMenu } from './menu.js';
import { addPrompts } from './prompts.js';
import { addTables } from './tables.js';
import { addWaiter } from './waiter.js';

/** A small restaurant: every feature of the protocol, each in the file of its topic. */
export function createBistro(): Server {
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
  const house = createHouse();
  const kitchen = addKitchen(server, house);
  addMenu(server, house, kitchen);
  addTables(server, house);
  addWaiter(server, house);
  addPrompts(server, house);
  addAbout(server);
  return server;
}

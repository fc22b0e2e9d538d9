// The server that the conformance suite examines. `PORT=3000 npm run fixture:server` keeps it running by hand.

import { fileURLToPath } from 'node:url';
import { listen } from '../../src/node/index.js';
import { skills } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import { tasks } from '../../src/server/tasks/index.js';
import { addClientTools } from './fixture/client-tools.js';
import { addContentTools } from './fixture/content-tools.js';
import { addPrompts } from './fixture/prompts.js';
import { addProtocolTools } from './fixture/protocol-tools.js';
import { addResources } from './fixture/resources.js';
import { addRounds } from './fixture/rounds.js';
import { addTaskTools } from './fixture/tasks.js';

const server = new Server(
  { name: 'tenon-conformance', version: '1.0.0', title: 'Tenon conformance fixture' },
  {
    instructions: 'Every tool, resource and prompt here is one that the conformance suite asks for by name.',
    // Small pages, so that the suite follows a cursor.
    extensions: [
      skills(fileURLToPath(new URL('fixture/skill-folder', import.meta.url)), { pageSize: 1 }),
      tasks(),
    ],
  },
);
// Content tools go first: the suite calls the first tool of the list without arguments and expects success.
addContentTools(server);
addClientTools(server);
addProtocolTools(server);
addResources(server);
addPrompts(server);
addRounds(server);
addTaskTools(server);

const { url } = await listen(server, {
  port: Number(process.env.PORT ?? 3000),
  host: '127.0.0.1',
  path: '/mcp',
});
console.log(url);

// Started by a test: exit with it, even if it was killed.
process.once('disconnect', () => process.exit());

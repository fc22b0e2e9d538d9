import { tasksClient } from '../../src/client/tasks/index.js';
import { connect } from '../../src/node/client/index.js';

// Calls a tool, and prints the handle of its task each time it changes. The test kills this process.
const client = await connect(process.argv[2] as string, {
  extensions: [tasksClient({ minPollMs: 5, listen: false })],
  onElicit: () => ({ action: 'accept', content: { name: 'Luca' } }),
});
await client.callTool('render', {}, { onTask: task => console.log(JSON.stringify(task)) });

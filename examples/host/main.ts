// A host with two servers and a model: node --import tsx examples/host/main.ts "The oven is broken"
// One server is a program that the host starts, the other is in the same process. A URL works as well.
import { fileURLToPath } from 'node:url';
import { connectAll } from 'tenon/client';
import { server as reserve } from '../reserve/server.ts';
import { decide, type Message } from './model.ts';

const [question = 'The oven is broken', file = 'issues.db'] = process.argv.slice(2);
const tracker = fileURLToPath(new URL('../tracker/stdio.ts', import.meta.url));

const servers = await connectAll(
  {
    // The tracker runs on the same runtime as the host, with the same options.
    tracker: { command: process.execPath, args: [...process.execArgv, tracker, file] },
    reserve,
  },
  {
    // A real host shows the form to the user.
    onElicit: (form, { server }) => {
      console.log(`${server} asks: ${form.message}`);
      return { action: 'accept', content: { guests: 2 } };
    },
  },
);

const messages: Message[] = [{ role: 'user', text: question }];
const tools = await servers.tools();
for (;;) {
  const decision = await decide(messages, tools);
  if ('say' in decision) {
    console.log(decision.say);
    break;
  }
  // A failure is a result, too: the model reads it and may try something else.
  const { content } = await servers.callTool(decision.call, decision.args);
  messages.push({ role: 'tool', text: content.map(block => ('text' in block ? block.text : '')).join('\n') });
}
await servers.close();

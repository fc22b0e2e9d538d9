import { Server } from '../dist/index.js';
import { listen } from '../dist/node/index.js';
import { z } from 'zod';
const server = new Server({ name: 'x', version: '1' });
for (let i=0;i<50;i++) server.tool('t'+i, { input: z.object({ message: z.string() }) }, async ({message}) => message);
server.tool('echo', { input: z.object({ message: z.string() }) }, async ({message}) => message);
await listen(server, { port: +(process.argv[2] ?? 4777) });

import { Server } from 'tenon';
import { listen } from 'tenon/node';
import { z } from 'zod';

const server = new Server({ name: 'minimal', version: '1.0.0' });
server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}!`);
const { url } = await listen(server, { port: Number(process.env.PORT ?? 3000) });
console.log(url);

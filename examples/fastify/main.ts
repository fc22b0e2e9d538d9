// Behind Fastify: node --import tsx examples/fastify/main.ts
import fastify from 'fastify';
import { nodeHandler } from 'tenon/node';
import { server } from '../reserve/server.ts';

const app = fastify();
app.all('/mcp', nodeHandler(server));
app.get('/health', () => 'ok');

const origin = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(`${origin}/mcp`);

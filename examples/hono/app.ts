// A Hono app, for every runtime that Hono has. main.ts serves it on Node.
import { Hono } from 'hono';
import { fetchHandler } from 'tenon/http';
import { server } from '../reserve/server.ts';

// A handler on fetch cannot see that a connection is local, so it is told by which names it may be reached.
const handler = fetchHandler(server, { allowedHosts: ['127.0.0.1', 'localhost'] });

export const app = new Hono();
app.all('/mcp', context => handler(context.req.raw));
app.get('/health', context => context.text('ok'));

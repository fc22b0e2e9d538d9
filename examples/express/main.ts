// Behind Express: node --import tsx examples/express/main.ts
import type { AddressInfo } from 'node:net';
import express from 'express';
import { nodeHandler } from 'tenon/node';
import { server } from '../reserve/server.ts';

const app = express();
app.use(express.json()); // optional: the handler also takes bodies that were parsed
app.all('/mcp', nodeHandler(server));
app.get('/health', (_request, response) => response.send('ok'));

const http = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
});

// On Bun: bun examples/bun/server.ts
import { fetchHandler } from 'tenon/http';
import { server } from '../reserve/server.ts';

const { port } = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  idleTimeout: 0, // Bun would end calls and streams that are quiet for ten seconds
  fetch: fetchHandler(server, { allowedHosts: ['127.0.0.1', 'localhost'] }),
});
console.log(`http://127.0.0.1:${port}/mcp`);

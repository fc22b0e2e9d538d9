// On Deno: deno run --allow-net --allow-env examples/deno/server.ts
import { fetchHandler } from 'tenon/http';
import { server } from '../reserve/server.ts';

const { addr } = Deno.serve(
  { hostname: '127.0.0.1', port: Number(Deno.env.get('PORT') ?? 3000), onListen() {} },
  fetchHandler(server, { allowedHosts: ['127.0.0.1', 'localhost'] }),
);
console.log(`http://127.0.0.1:${addr.port}/mcp`);

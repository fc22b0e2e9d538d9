// The travel desk over HTTP: node --import tsx examples/rounds/http.ts, or with PORT=8080 in front of it.
import { listen } from 'tenon/node';
import { createTravelDesk } from './server.ts';

// Several nodes can continue each other's rounds if they have the same `keys`. This node is alone and makes its own key.
const { url } = await listen(createTravelDesk(), { port: Number(process.env.PORT ?? 3000), sse: true });
console.log(`The travel desk is open: ${url}`);
console.log(`For older clients also over HTTP+SSE: ${new URL('/sse', url)}`);

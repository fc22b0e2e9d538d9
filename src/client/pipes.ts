/** What only pipes need: programs, transports of authors, HTTP+SSE. It is loaded on demand, as most clients talk HTTP. */
export { SseTransport } from './http/sse-transport.js';
export { openOverPipe } from './pipe-opening.js';
export { openDuplex } from './pipe-wire.js';

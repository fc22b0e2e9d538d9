import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from './announce.js';

/** Serves bodies of requests on a bare `node:http` server. */
export function serveBodies(answer: (body: string, response: ServerResponse) => void): void {
  const http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      answer(body.toString(), response);
    });
  });
  // Callers that take turns are idle for longer than Node's five seconds.
  http.keepAliveTimeout = 75_000;
  http.listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
}

/** Responds with a text that is JSON. */
export function respond(response: ServerResponse, text: string): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(200, headers).end(text);
}

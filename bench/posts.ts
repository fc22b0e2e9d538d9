import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { ResponseReader } from './response-reader.js';

/** Sends a body to one of the tools, or to another target of a method, and returns the body of the response. */
export type Post = (target: string, body: string, method?: string) => Promise<string>;

/** Posts with `node:http`, as most programs do. */
export function httpPost(url: URL): Post {
  const agent = new Agent({ keepAlive: true });
  return (target, body, method) =>
    new Promise((resolve, reject) => {
      const headers = headersOf(target, body, method);
      const sent = request(url, { method: 'POST', agent, headers }, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      });
      sent.on('error', reject).end(body);
    });
}

/** Posts over a connection of its own that costs next to nothing, one at a time. */
export function barePost(url: URL): Post {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  let settle: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined;
  const reader = new ResponseReader((_head, body, length) =>
    settle?.resolve(body.toString('utf8', 0, length)),
  );
  socket.on('data', chunk => reader.push(chunk));
  socket.on('error', error => settle?.reject(error));
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  return (target, body, method) =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the server has closed the connection'));
      settle = { resolve, reject };
      const headers = Object.entries({ host: url.host, ...headersOf(target, body, method) });
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`POST ${url.pathname} HTTP/1.1\r\n${lines}\r\n${body}`);
    });
}

function headersOf(target: string, body: string, method = 'tools/call'): Record<string, string | number> {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': target,
  };
}

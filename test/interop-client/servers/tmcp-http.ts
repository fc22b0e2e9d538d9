import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { HttpTransport } from '@tmcp/transport-http';
import { readBody, type Serving, serveHttp } from './serving.js';
import { createShelfTmcp } from './tmcp.js';

/** Both eras, at `/mcp`. */
export function serveTmcp(): Promise<Serving> {
  const transport = new HttpTransport(createShelfTmcp(), { path: '/mcp' });
  return serveHttp(async (request, response) => {
    const disconnected = new AbortController();
    response.on('close', () => disconnected.abort());
    const body = await readBody(request);
    const answer = await transport.respond(
      new Request(`http://localhost${request.url}`, {
        method: request.method as string,
        headers: request.headers as Record<string, string>,
        signal: disconnected.signal,
        ...(body && { body }),
      }),
    );
    if (!answer) return response.writeHead(404).end();
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders();
    if (!answer.body) return response.end();
    return Readable.fromWeb(answer.body as ReadableStream)
      .on('error', () => response.destroy())
      .pipe(response);
  });
}

import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream';
import { readBody, type Serving, serveHttp } from './serving.js';

/** One HTTP request as it passed. */
export interface Passed {
  /** The method of the message in a POST; `GET` or `DELETE` otherwise; `answer` for one to the server. */
  what: string;
  headers: IncomingMessage['headers'];
  /** 0 until it is answered. */
  status: number;
}

/** Stands before an HTTP server, and remembers what passes. */
export interface Recorder extends Serving {
  readonly passed: Passed[];
  /** How many connections of clients are open. */
  connections(): Promise<number>;
}

export async function recordHttp(server: Serving): Promise<Recorder> {
  const passed: Passed[] = [];
  const agent = new Agent({ keepAlive: false });
  const front = await serveHttp(async (request, response) => {
    const body = await readBody(request);
    const entry: Passed = { what: nameOf(request, body), headers: request.headers, status: 0 };
    passed.push(entry);
    const { method, headers } = request;
    const target = new URL(request.url as string, server.origin);
    const onward = sendRequest(
      target,
      { method, headers: { ...headers, host: target.host }, agent },
      answer => {
        entry.status = answer.statusCode as number;
        response.writeHead(entry.status, answer.headers).flushHeaders();
        pipeline(answer, response, () => {});
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
  return {
    ...front,
    passed,
    async close() {
      await front.close();
      agent.destroy();
      await server.close();
    },
  };
}

function nameOf({ method }: IncomingMessage, body: string): string {
  return method === 'POST' ? (JSON.parse(body).method ?? 'answer') : (method as string);
}

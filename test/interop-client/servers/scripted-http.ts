import { onTestFinished } from 'vitest';
import { readBody, serveHttp } from './serving.js';

/** A message as it came. */
export interface Got {
  /** The method of the message; `GET` and the like where there is none. */
  what: string;
  params: Record<string, unknown>;
  headers: Record<string, string | string[] | undefined>;
  path: string;
}

/** What to say to it: a result, an error, or something that is no answer. */
export type Reply =
  | { result: object; headers?: Record<string, string> }
  | {
      error: { code: number; message?: string; data?: unknown };
      status?: number;
      headers?: Record<string, string>;
    }
  | { status: number; text?: string; headers?: Record<string, string> }
  | { events: string }
  | 'silence'
  | 'hang up';

/** A server that says what the test wants, until the test is over. */
export async function serveScript(reply: (got: Got, earlier: readonly Got[]) => Reply) {
  const got: Got[] = [];
  const serving = await serveHttp(async (request, response) => {
    const body = await readBody(request);
    const message = body === '' ? { method: request.method as string } : JSON.parse(body);
    const earlier = [...got];
    const { headers, url: path = '' } = request;
    const now: Got = { what: message.method ?? 'answer', params: message.params ?? {}, headers, path };
    got.push(now);
    if (message.method?.startsWith('notifications/')) return response.writeHead(202).end();
    const answer = reply(now, earlier);
    if (answer === 'silence') return;
    if (answer === 'hang up') return response.destroy();
    if ('events' in answer) {
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write(answer.events);
    }
    if ('text' in answer || !('result' in answer || 'error' in answer)) {
      return response.writeHead(answer.status, answer.headers).end(answer.text ?? '');
    }
    const status = 'status' in answer ? (answer.status ?? 200) : 200;
    response.writeHead(status, { 'content-type': 'application/json', ...answer.headers });
    const outcome =
      'result' in answer ? { result: answer.result } : { error: { message: 'no', ...answer.error } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome }));
  });
  onTestFinished(() => serving.close());
  return {
    url: `${serving.origin}/mcp`,
    got,
    sent: () => got.map(({ what }) => what),
    connections: serving.connections,
  };
}

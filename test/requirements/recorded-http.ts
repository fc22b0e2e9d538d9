import { type IncomingMessage, request as sendRequest } from 'node:http';
import { readBody, type Serving, serveHttp } from '../interop-client/servers/serving.js';

/** Stands before an HTTP server, and keeps the bodies of all requests and responses. */
export interface RecordedHttp extends Serving {
  readonly requests: { headers: IncomingMessage['headers']; body: string }[];
  readonly responses: string[];
}

export async function recordHttp(target: string): Promise<RecordedHttp> {
  const requests: RecordedHttp['requests'] = [];
  const responses: string[] = [];
  const front = await serveHttp(async (request, response) => {
    const body = await readBody(request);
    const { method, headers } = request;
    requests.push({ headers, body });
    const url = new URL(request.url as string, target);
    const onward = sendRequest(url, { method, headers: { ...headers, host: url.host } }, answer => {
      response.writeHead(answer.statusCode as number, answer.headers).flushHeaders();
      const at = responses.push('') - 1;
      answer.setEncoding('utf8').on('data', piece => {
        responses[at] += piece;
        response.write(piece);
      });
      answer.on('close', () => response.end());
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  });
  return { ...front, requests, responses };
}

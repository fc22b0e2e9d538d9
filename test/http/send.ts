import { EventStream, type RpcMessage } from './event-stream.js';

/** What a POST was answered with: a JSON body, a stream, or nothing but a status. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The messages of the answer, in order; one for a JSON body, none for an empty one. */
  messages: RpcMessage[];
  /** The last message: the response. */
  last: RpcMessage;
  result: any;
  error: RpcMessage['error'];
}

const ACCEPT = 'application/json, text/event-stream';

/** Sends one message, or whatever else should be in the body. */
export function postJson(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: ACCEPT, ...headers },
    ...(signal && { signal }),
  });
}

/** Sends a message whose answer is expected to be a stream, and gives the stream out while it runs. */
export async function postStream(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const response = await postJson(url, body, headers, controller.signal);
  return openStream(response, controller);
}

/** Opens a stream with GET. */
export async function getStream(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  return openStream(response, controller);
}

/** Reads an answer to its end, whichever form it has. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const isStream = headers.get('content-type') === 'text/event-stream';
  const messages = isStream ? await new EventStream(response, new AbortController()).rest() : [];
  const text = isStream ? '' : await response.text();
  if (text.startsWith('{')) messages.push(JSON.parse(text));
  if (text.startsWith('[')) messages.push(...JSON.parse(text));
  const last = messages.at(-1) as RpcMessage;
  return { status, headers, text, messages, last, result: last?.result, error: last?.error };
}

async function openStream(response: Response, controller: AbortController): Promise<EventStream> {
  if (response.headers.get('content-type') !== 'text/event-stream') {
    throw new Error(`expected a stream, got ${response.status} ${await response.text()}`);
  }
  return new EventStream(response, controller);
}

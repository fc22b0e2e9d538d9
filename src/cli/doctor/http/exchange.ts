import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { JsonObject } from 'tenon/protocol';
import type { Answer } from '../answer.js';
import { EventText } from './event-text.js';

/** More of a body than this is not read. */
const MAX_BODY = 1024 * 1024;

export interface Sending {
  readonly method?: 'GET' | 'POST' | 'DELETE' | 'OPTIONS';
  readonly headers?: Readonly<Record<string, string>>;
  /** A message to send as JSON. */
  readonly message?: JsonObject;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Ends reading early, on a stream that stays open. */
  readonly isEnough?: (body: string) => boolean;
  /** Ends with the headers of the response. */
  readonly onlyHeaders?: boolean;
}

/** One HTTP request and what came back. */
export interface Exchange {
  /** Undefined if there was no response. */
  readonly status?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The response to the message, if the body has one. */
  readonly answer?: Answer | undefined;
  /** Why there is no response, or not all of it. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
  readonly ms: number;
}

export const TIMED_OUT = 'TIMED_OUT';

/**
 * Sends one request on a connection of its own, and reads the response, or the part of a stream that is needed. Follows
 * no redirects. Rejects only if the signal aborts.
 */
export function exchange(url: URL | string, sending: Sending): Promise<Exchange> {
  const { method = 'POST', headers = {}, message, limitMs, signal, isEnough, onlyHeaders } = sending;
  const target = new URL(url);
  const body = message && JSON.stringify(message);
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const text = new EventText(message?.id as number | undefined);
    let response: IncomingMessage | undefined;
    const finish = (failure?: Exchange['failure']) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      request.destroy();
      const ms = performance.now() - start;
      const { statusCode: status, headers = {} } = response ?? {};
      resolve({ status, headers, body: text.body, answer: text.answer(), failure, ms });
    };
    const abort = () => {
      reject(signal.reason);
      finish();
    };
    const request = (target.protocol === 'https:' ? requestHttps : requestHttp)(target, {
      method,
      // A connection for each request, as a client has that comes later, or through another node.
      agent: false,
      // Node would take the name for TLS from the Host header, which some checks change.
      servername: isIP(target.hostname.replace(/^\[|\]$/g, '')) ? '' : target.hostname,
      headers: {
        'user-agent': 'tenon-doctor',
        ...(body !== undefined && {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': String(Buffer.byteLength(body)),
        }),
        ...headers,
      },
    });
    const timer = setTimeout(
      () => finish({ code: TIMED_OUT, message: `no answer within ${limitMs / 1000} s` }),
      limitMs,
    );
    request.on('error', (error: NodeJS.ErrnoException) =>
      finish({ code: error.code ?? 'FAILED', message: error.message || String(error.code) }),
    );
    request.on('response', incoming => {
      response = incoming;
      if (onlyHeaders) return finish();
      text.isStream = /^text\/event-stream\b/i.test(incoming.headers['content-type'] ?? '');
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text.add(chunk);
        const isDone = text.isStream && (message ? text.answer() !== undefined : false);
        if (isDone || isEnough?.(text.body) || text.body.length > MAX_BODY) finish();
      });
      incoming.on('end', () => finish());
      incoming.on('error', error => finish({ code: 'CUT_OFF', message: error.message }));
    });
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    else request.end(body);
  });
}

/** An exchange in a few words: its status and type, or why there is none. */
export function describeExchange({ status, headers, body, answer, failure }: Exchange): string {
  if (status === undefined) return failure?.message ?? 'no answer';
  const type = headers['content-type']?.split(';')[0] ?? (body ? 'without a type' : 'without a body');
  const error = answer?.error ? `, error ${answer.error.code}: ${answer.error.message}` : '';
  const cut = failure ? `, then ${failure.message}` : '';
  return `${status} ${type}${error}${cut}`;
}

export function isTimeout({ failure }: Exchange): boolean {
  return failure?.code === TIMED_OUT;
}

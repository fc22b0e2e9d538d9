import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  request as requestHttp,
} from 'node:http';
import { createServer as createSecureServer, request as requestHttps } from 'node:https';
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { LookupAll } from '../../../src/node/client/auth/pinned-fetch.js';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.js';

/** A server on this machine that notes who came. */
export interface Hostile {
  readonly port: number;
  readonly requests: Noted[];
  /** The connections that are open. */
  readonly sockets: Set<Socket>;
  close(): Promise<void>;
}

export interface Noted {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  body: string;
}

export interface Place {
  host?: '127.0.0.1' | '::1';
  port?: number;
  isPlain?: boolean;
}

/** Starts a server that speaks HTTP, with TLS if not told otherwise. */
export async function startServer(
  answer: RequestListener = (_request, response) => response.end('{"secret":1}'),
  { host = '127.0.0.1', port = 0, isPlain = false }: Place = {},
): Promise<Hostile> {
  const requests: Noted[] = [];
  const listener: RequestListener = (request, response) => {
    const { method, url: path, headers } = request;
    const noted: Noted = { method, path, headers, body: '' };
    requests.push(noted);
    request.on('data', (chunk: Buffer) => {
      noted.body += chunk;
    });
    request.on('end', () => answer(request, response));
  };
  const server = isPlain
    ? createServer(listener)
    : createSecureServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, listener);
  return open(server, requests, host, port);
}

/** Starts a server that writes what it wants. It is told of a connection when the request has come. */
export function startRaw(serve: (socket: Socket) => void): Promise<Hostile> {
  const server = createRawServer(socket => socket.once('data', () => serve(socket)));
  return open(server, [], '127.0.0.1', 0);
}

async function open(server: Server, requests: Noted[], host: string, port: number): Promise<Hostile> {
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    sockets,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Closes a server at the end of the test. */
export async function untilTestEnds(starting: Promise<Hostile>): Promise<Hostile> {
  const server = await starting;
  onTestFinished(() => server.close());
  return server;
}

/** Resolves when nobody is connected any more. */
export async function isDeserted({ sockets }: Hostile): Promise<void> {
  for (const socket of sockets) await new Promise(resolve => socket.on('close', resolve));
}

/** A promise that is resolved from elsewhere. */
export function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Resolves names from a list. All others are names of this machine. */
export function lookupIn(names: Record<string, string[]> = {}): LookupAll {
  return (host, _options, callback) => {
    const addresses = names[host] ?? ['127.0.0.1'];
    callback(
      null,
      addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

/** What came of a request that nobody guarded. */
export interface Blind {
  /** Where it went in the end. */
  readonly url: string;
  readonly message?: IncomingMessage;
}

export interface BlindOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  maxHeaderSize?: number;
  lookup?: LookupAll;
}

const MAX_BLIND_REDIRECTS = 20;

/** Fetches as a careless client does: it goes wherever it is sent, with all it has. */
export async function fetchBlindly(url: string, options: BlindOptions = {}): Promise<Blind> {
  const { lookup = lookupIn(), body, ...more } = options;
  const length = body === undefined ? {} : { 'content-length': String(body.length) };
  for (let redirects = 0; ; redirects++) {
    const { protocol } = new URL(url);
    if (protocol !== 'https:' && protocol !== 'http:') return { url };
    const send = protocol === 'https:' ? requestHttps : requestHttp;
    const sent = send(new URL(url), {
      ...more,
      headers: { ...more.headers, ...length },
      lookup: lookup as never,
      ca: CERTIFICATE,
      agent: false,
    });
    sent.end(body);
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    const { location } = message.headers;
    if (location === undefined || redirects === MAX_BLIND_REDIRECTS) {
      message.resume();
      return { url, message };
    }
    message.destroy();
    url = new URL(location, url).href;
  }
}

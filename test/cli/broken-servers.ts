import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { readBody } from '../interop-client/servers/serving.js';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

type Results = Readonly<Record<string, unknown>>;

const RESULTS: Results = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'broken', version: '1' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
};

const STRANGE_SCHEMA = { type: 'object', properties: { size: { type: 'strnig' } } };

/** A server at each path, which is broken in one way. There is a good one at `/mcp`. */
const SERVERS: Readonly<Record<string, RequestListener>> = {
  '/mcp': serving(RESULTS),
  '/page': showPage,
  '/locked': (_, response) => void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  '/audience': locked('audience'),
  '/.well-known/oauth-protected-resource/audience': json(({ origin }) => ({
    resource: 'https://internal.example/mcp',
    authorization_servers: [`${origin}/issuer`],
  })),
  '/token': locked('token'),
  '/.well-known/oauth-protected-resource/token': json(({ origin }) => ({
    resource: `${origin}/token`,
    authorization_servers: [`${origin}/issuer`],
    scopes_supported: ['menu:read'],
  })),
  '/.well-known/oauth-authorization-server/issuer': json(({ origin }) => ({
    issuer: `${origin}/issuer`,
    authorization_endpoint: `${origin}/issuer/authorize`,
    token_endpoint: `${origin}/issuer/token`,
    registration_endpoint: `${origin}/issuer/register`,
    code_challenge_methods_supported: ['S256'],
  })),
  '/open-with-token': (request, response) => {
    if (request.headers.authorization === 'Bearer menu') return serving(RESULTS)(request, response);
    return response.writeHead(401).end();
  },
  '/silent-probe': serving(RESULTS, { isSilent: ({ method }) => method === 'server/discover' }),
  '/silent': () => {},
  '/host': (request, response) => {
    if (request.headers.host?.startsWith('localhost')) return serving(RESULTS)(request, response);
    return response.writeHead(403).end('Invalid Host header');
  },
  '/schema': serving({ ...RESULTS, 'tools/list': { tools: [{ name: 'cut', inputSchema: STRANGE_SCHEMA }] } }),
  '/session': serving(RESULTS, { losesSession: () => true }),
  '/balanced': serving(RESULTS, { losesSession: count => count % 2 === 0 }),
  '/redirect': (_, response) => void response.writeHead(308, { location: '/mcp' }).end(),
  '/version': serving({
    ...RESULTS,
    initialize: { ...(RESULTS.initialize as object), protocolVersion: '2023-01-01' },
  }),
  '/refused-versions': refusing(-32602, 'Unsupported protocol version'),
  '/collected': (request, response) => {
    // A proxy that waits for the end of a stream, which does not come.
    if (request.method !== 'GET') serving(RESULTS)(request, response);
  },
  '/scope': (request, response) => {
    const metadata = `${originOf(request)}/.well-known/oauth-protected-resource/token`;
    const demand = `Bearer error="insufficient_scope", scope="menu:read orders:write", resource_metadata="${metadata}"`;
    response.writeHead(403, { 'www-authenticate': demand }).end();
  },
  '/failing': (_, response) => void response.writeHead(502).end('bad gateway'),
};

interface BrokenServers {
  readonly origin: string;
  /** With a certificate that has expired. */
  readonly expired: string;
  /** A web application, which answers every path with its page. */
  readonly application: string;
}

/** The broken servers, on a port of their own with and without TLS, for all tests of a file. */
export function useBrokenServers(): BrokenServers {
  const listener: RequestListener = (request, response) => {
    const serve = SERVERS[request.url ?? ''];
    if (serve) serve(request, response);
    else response.writeHead(404).end('Not found');
  };
  const pem = readFileSync(new URL('fixtures/expired-certificate.pem', import.meta.url));
  const plain = createServer(listener);
  const secure = createTlsServer({ key: pem, cert: pem }, listener);
  const application = createServer(showPage);
  const all = [plain, secure, application];
  beforeAll(async () => {
    for (const server of all) {
      await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    }
  });
  afterAll(() => {
    for (const server of all) {
      server.closeAllConnections();
      server.close();
    }
  });
  const hostOf = (server: typeof plain) => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    get origin() {
      return `http://${hostOf(plain)}`;
    },
    get expired() {
      return `https://${hostOf(secure)}`;
    },
    get application() {
      return `http://${hostOf(application)}`;
    },
  };
}

interface Faults {
  /** Whether the session is lost when it is used for the `count`th time. With it, there are sessions. */
  readonly losesSession?: (count: number) => boolean;
  readonly isSilent?: (message: Message) => boolean;
}

/** Answers with these results, as a server of 2025-06-18 does. */
function serving(results: Results, { losesSession, isSilent }: Faults = {}): RequestListener {
  let uses = 0;
  return async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message: Message = JSON.parse(await readBody(request));
    if (isSilent?.(message)) return;
    const isInSession = request.headers['mcp-session-id'] !== undefined;
    if (isInSession && losesSession?.(++uses)) return response.writeHead(404).end('Session not found');
    const { id, method } = message;
    if (id === undefined) return response.writeHead(202).end();
    const result = results[method];
    const error = { code: -32601, message: `unknown method ${method}` };
    response.writeHead(result ? 200 : 400, {
      'content-type': 'application/json',
      ...(losesSession && method === 'initialize' && { 'mcp-session-id': 'session-1' }),
    });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
  };
}

/** Answers every request with this error. */
function refusing(code: number, message: string): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id }: Message = JSON.parse(await readBody(request));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  };
}

function showPage(_: IncomingMessage, response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>Welcome</title><h1>Welcome to the bistro</h1>');
}

/** Wants a token, and says where its metadata is. */
function locked(name: string): RequestListener {
  return (request, response) => {
    const metadata = `${originOf(request)}/.well-known/oauth-protected-resource/${name}`;
    const error = request.headers.authorization ? ', error="invalid_token"' : '';
    const demand = `Bearer resource_metadata="${metadata}", scope="menu:read"${error}`;
    response.writeHead(401, { 'www-authenticate': demand }).end();
  };
}

function json(describe: (place: { origin: string }) => object): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const document = describe({ origin: originOf(request) });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  };
}

function originOf(request: IncomingMessage): string {
  return `http://${request.headers.host}`;
}

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Request {
  id: number;
  method: string;
  params: { name?: string; inputResponses?: object };
}

/** What the server answers to a request, other than `server/discover`. */
type Answer = (request: Request) => object;

/** A server of 2026-07-28 that shares no code with this project. Resolves with its URL. */
export async function serveForeign(answer: Answer, isProtected = false): Promise<string> {
  const http = createServer((request, response) => void route(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const body = await text(request);
    switch (pathname) {
      case '/mcp':
        if (isProtected && request.headers.authorization !== 'Bearer token-1') {
          const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
          response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
        } else reply(response, rpc(JSON.parse(body)));
        return;
      case '/.well-known/oauth-protected-resource/mcp':
        return reply(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      case '/.well-known/oauth-authorization-server':
        return reply(response, authorizationServer(origin));
      case '/register':
        return reply(response, { ...JSON.parse(body), client_id: 'client-1' }, 201);
      case '/authorize': {
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', 'code-1');
        back.searchParams.set('state', searchParams.get('state') ?? '');
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      case '/token':
        return reply(response, { access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 });
      default:
        response.writeHead(404).end();
    }
  }

  function rpc(request: Request): object {
    const result = request.method === 'server/discover' ? DISCOVERY : answer(request);
    return { jsonrpc: '2.0', id: request.id, result };
  }

  return `${origin}/mcp`;
}

const DISCOVERY = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
};

function authorizationServer(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return body;
}

function reply(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

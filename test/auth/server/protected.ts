import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type RunningHttpServer } from '../../../src/node/index.js';
import { type JwtOptions, jwt, type ProtectOptions, protect } from '../../../src/server/auth/index.js';
import { Server } from '../../../src/server/index.js';
import { initializeRequest } from '../../http/legacy-client.js';
import { envelope, mirror } from '../../http/modern-client.js';
import { postJson } from '../../http/send.js';
import type { AuthorizationServer } from '../authorization-server.js';

export interface Protected extends RunningHttpServer {
  readonly server: Server;
  /** What unexpected errors were reported. */
  readonly reported: unknown[];
  /** What `WWW-Authenticate` says, with the parameters that are given in front. */
  challenge(...parameters: string[]): string;
}

/** Serves a server that accepts the tokens of an authorization server, until the test is over. */
export async function serveProtected(
  issuer: AuthorizationServer,
  add: (server: Server) => void = () => {},
  options: Partial<ProtectOptions> & { listen?: ListenOptions; jwt?: Partial<JwtOptions> } = {},
): Promise<Protected> {
  const { listen: own, jwt: tokens, ...more } = options;
  const reported: unknown[] = [];
  const server = new Server(
    { name: 'protected', version: '1.0.0' },
    {
      onError: error => reported.push(error),
      cacheHints: { default: { ttlMs: 1000, cacheScope: 'public' } },
    },
  );
  server.tool('whoami', {}, (_, { caller }) => JSON.stringify(caller));
  add(server);
  const auth = protect({
    authorizationServers: [issuer.issuer],
    verify: jwt({ issuer: issuer.issuer, ...tokens }),
    ...more,
  });
  const listening = await listen(server, { port: 0, auth, ...own });
  onTestFinished(() => listening.close(0));
  const { origin } = new URL(listening.url);
  return Object.assign(listening, {
    server,
    reported,
    challenge: (...parameters: string[]) =>
      `Bearer ${[...parameters, `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`].join(', ')}`,
  });
}

/** Both eras, each with the request that a client begins with. */
export const FIRST_REQUESTS = [
  [
    'with a handshake',
    (url: string, headers: Record<string, string>) => postJson(url, initializeRequest(), headers),
  ],
  [
    'with an envelope',
    (url: string, headers: Record<string, string>) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } };
      return postJson(url, body, { ...mirror('tools/list', {}), ...headers });
    },
  ],
] as const;

export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

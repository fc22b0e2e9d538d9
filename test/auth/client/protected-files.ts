import { onTestFinished, vi } from 'vitest';
import { type Client, connect } from '../../../src/node/client/index.js';
import { listen } from '../../../src/node/index.js';
import { jwt, type Protection, type ProtectOptions, protect } from '../../../src/server/auth/index.js';
import { type Caller, Server } from '../../../src/server/index.js';
import type { IdentityProvider } from './identity-provider.js';

/** One revision of each era. */
export const REVISIONS = ['2026-07-28', '2025-06-18'] as const;

/** Serves tools to whoever has a token of the provider, until the test is over. Resolves with the URL. */
export async function serveFiles(
  provider: IdentityProvider,
  options: Partial<ProtectOptions> = {},
): Promise<string> {
  const listening = await listen(createFiles(), { port: 0, auth: protectFiles(provider, options) });
  onTestFinished(() => listening.close(0));
  return listening.url;
}

export function createFiles(): Server {
  const server = new Server({ name: 'files', version: '1.0.0' });
  server.tool('whoami', {}, (_, { caller }) => JSON.stringify(caller));
  // Each tool does what its scope is called for.
  for (const scope of ['files:write', 'mail', 'calendar', 'contacts']) {
    server.tool(scope.replace(':', '_'), { scopes: [scope] }, () => `did ${scope}`);
  }
  return server;
}

export function protectFiles(
  { issuer }: IdentityProvider,
  options: Partial<ProtectOptions> = {},
): Protection {
  return protect({
    authorizationServers: [issuer],
    scopes: ['mcp'],
    verify: jwt({ issuer }),
    ...options,
  });
}

/** Connects until the test is over. */
export async function open(...args: Parameters<typeof connect>): Promise<Client> {
  const client = await connect(...args);
  onTestFinished(() => client.close());
  return client;
}

/** What a tool answers. */
export async function call(client: Client, tool: string): Promise<string> {
  const { content, isError } = await client.callTool(tool);
  const [block] = content;
  if (isError || block?.type !== 'text') throw new Error(`${tool} failed: ${JSON.stringify(content)}`);
  return block.text;
}

/** Calls a tool many times at once. */
export function callAtOnce(client: Client, tool: string, times: number): Promise<string[]> {
  return Promise.all(Array.from({ length: times }, () => call(client, tool)));
}

/** As whom the server sees the client. */
export async function whoami(client: Client): Promise<Caller> {
  return JSON.parse(await call(client, 'whoami'));
}

/** Sets the clock forward, for everybody in this process, until the test is over. */
export function passSeconds(seconds: number): void {
  onTestFinished(() => void vi.useRealTimers());
  vi.setSystemTime(Date.now() + seconds * 1000);
}

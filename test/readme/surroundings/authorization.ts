import { deepEqual } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Server } from 'tenon';
import { jwt, protect } from 'tenon/auth';
import { bearer } from 'tenon/auth/client';
import { connect } from 'tenon/client';
import { z } from 'zod';
import { urls } from './listening.js';

export { jwt, protect, z };

export const server = new Server({ name: 'files', version: '1.0.0' });
server.tool('whoami', {}, (_, ctx) => ctx.caller?.principal ?? 'nobody');

const digest = createHash('sha256').update('secret-key').digest('hex');
export const users = new Map([[digest, { name: 'ada', scopes: ['files:read'] }]]);
export const auth = protect({
  resource: 'https://mcp.example.com/mcp',
  authorizationServers: ['https://login.example.com'],
  verify: jwt({ issuer: 'https://login.example.com' }),
});
export const owns = (user: string | undefined, table: unknown): boolean => user === 'ada' && table === 'hers';

/** Calls the server of the section on API keys, which is the first of the page. */
export async function check(): Promise<void> {
  const [url = ''] = urls;
  const client = await connect(url, { auth: bearer('secret-key') });
  deepEqual((await client.callTool('whoami')).content, [{ type: 'text', text: 'ada' }]);
  const refused = await connect(url, { auth: bearer('another') }).catch(error => error.kind);
  deepEqual(refused, 'access');
}

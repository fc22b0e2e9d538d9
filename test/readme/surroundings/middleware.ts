import { deepEqual } from 'node:assert/strict';
import { McpError, Server } from 'tenon';
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';
import { connectTest, textOf } from 'tenon/testing';

export { connect, McpError };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const isManager = (principal: string | undefined): boolean => principal === 'manager';
server.tool('refund', {}, () => 'refunded');
server.tool('cook', {}, () => 'soup');

const running = await listen(server, { port: 0 });
export const url = running.url;

/** Calls what the page guards, and what it does not. */
export async function check(): Promise<void> {
  const client = await connectTest(server);
  deepEqual(textOf(await client.callTool('cook')), 'soup');
  const refusal = await client.callTool('refund').catch(error => error.message);
  deepEqual(refusal, 'only managers may refund');
  deepEqual(server.middleware.includes('audit'), true);
  await running.close(0);
}

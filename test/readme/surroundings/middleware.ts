import { deepEqual } from 'node:assert/strict';
import { McpError, type Result, Server } from 'tenon';
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';
import { connectTest, textOf } from 'tenon/testing';

export { connect, McpError };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
export const isManager = (principal: string | undefined): boolean => principal === 'manager';
server.tool('refund', {}, () => 'refunded');
server.tool('cook', {}, () => 'soup');
server.tool('develop', {}, (_, ctx) => `a film, ${ctx.signal.aborted}`);

const running: { result: Promise<Result>; own: AbortController }[] = [];
export const keep = (result: Promise<Result>, own: AbortController): void =>
  void running.push({ result, own });

const listening = await listen(server, { port: 0 });
export const url = listening.url;

/** Calls what the page guards, and what it does not. */
export async function check(): Promise<void> {
  const client = await connectTest(server);
  deepEqual(textOf(await client.callTool('cook')), 'soup');
  const refusal = await client.callTool('refund').catch(error => error.message);
  deepEqual(refusal, 'only managers may refund');
  deepEqual(server.middleware.includes('audit'), true);
  deepEqual(textOf(await client.callTool('develop')), 'Your film is ready tomorrow.');
  const results = (await Promise.all(running.map(({ result }) => result))) as { content: unknown }[];
  deepEqual(results[0]?.content, [{ type: 'text', text: 'a film, false' }]);
  await listening.close(0);
}

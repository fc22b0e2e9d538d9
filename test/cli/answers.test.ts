import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'tenon';
import { listen, type RunningHttpServer } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { readBody } from '../interop-client/servers/serving.js';
import { freshKeys } from '../keys.js';
import { tenon } from './run.js';

/** A server whose questions need more than the fields of a form show. */
function createDesk(): Server {
  const server = new Server({ name: 'desk', version: '1.0.0' });
  server.tool(
    'pay',
    {},
    async (_, ctx) => (await ctx.elicitUrl('Please pay.', 'https://pay.example/bill')).action,
  );
  server.tool('both', {}, async (_, ctx) => {
    const first = await ctx.elicit('Which day?', z.object({ day: z.iso.date() }));
    const second = await ctx.elicit(
      'Who?',
      z.object({ name: z.string(), extras: z.array(z.enum(['a', 'b'])).optional() }),
    );
    return `${first.action} ${second.action}`;
  });
  return server;
}

/** Tools of other libraries may ask for a pattern that takes a while to check. */
const SIGN = {
  method: 'elicitation/create',
  params: {
    message: 'Sign?',
    requestedSchema: { type: 'object', properties: { code: { type: 'string', pattern: '^(ab)+$' } } },
  },
};

/** A server that answers each method with the same result. It ends with the test. */
async function serveWith(results: Readonly<Record<string, object>>): Promise<string> {
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse(await readBody(request));
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...results[method] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

describe.concurrent('answers given beforehand', () => {
  let running: RunningHttpServer;
  beforeAll(async () => {
    running = await listen(createDesk(), { port: 0, keys: freshKeys() });
  });
  afterAll(() => running?.close());
  const call = (...args: string[]) => tenon(['call', running.url, ...args]);

  it('names the page that a question is about, where there is no terminal', async () => {
    const { code, stderr } = await call('pay');
    expect(code).toBe(2);
    expect(stderr).toContain('names the page https://pay.example/bill');
    expect(stderr).toContain('add --answer accept');
    expect(await call('pay', '--answer', 'accept')).toMatchObject({ code: 0, stdout: 'accept\n' });
  });

  it('refuses the contents of a form for a page', async () => {
    const { code, stderr } = await call('pay', '--answer', '{"amount": 2}');
    expect(code).toBe(2);
    expect(stderr).toContain('the server asks you to visit a page, and there is no form');
  });

  it('asks for the answer to the second question after the first one was given', async () => {
    const first = await call('both');
    expect(first.stderr).toContain(`Add --answer '{"day":"1999-12-31"}'`);
    const second = await call('both', '--answer', '{"day": "2026-07-28"}');
    expect(second.code).toBe(2);
    expect(second.stderr).toContain('the server asks “Who?”');
    expect(second.stderr).toMatch(/extras +list: one of a, b +optional/);
    const third = await call(
      'both',
      '--answer',
      '{"day": "2026-07-28"}',
      '--answer',
      '{"name":"Ada","extras":["c"]}',
    );
    expect(third.stderr).toContain(`extras cannot be ["c"] ("c": it is not among the choices)`);
    expect(third.stderr).toContain(`Write --answer '{"name":"Ada","extras":["a"]}'`);
  });

  it('prints the error as JSON with --json', async () => {
    const { code, stdout } = await call('both', '--answer', '{"dy": "2026-07-28"}', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({
      kind: 'usage',
      message: expect.stringContaining('did you mean "day"?'),
      next: `Write --answer '{"day":"2026-07-28"}', or --answer decline.`,
    });
  });
});

it('says that the server has not got an answer that only the client could refuse', async () => {
  const url = await serveWith({
    'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
    'tools/list': { tools: [{ name: 'sign', inputSchema: { type: 'object' } }] },
    'tools/call': { resultType: 'input_required', inputRequests: { code: SIGN } },
  });
  const { code, stderr } = await tenon(['call', url, 'sign', '--answer', '{"code": "aba"}']);
  expect(code).toBe(2);
  expect(stderr).toContain('the answer to "Sign?" does not fit its form: code');
  expect(stderr).toContain('next: The server has not got this answer.');
});

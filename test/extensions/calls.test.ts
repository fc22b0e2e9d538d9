import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ClientExtension, OwnCall } from '../../src/client/extensions/index.js';
import { connect } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';

describe.each(['2025-11-25', '2026-07-28'])('an extension that runs around calls, on %s', revision => {
  async function open(...extensions: ClientExtension[]) {
    const server = new Server({ name: 'kitchen', version: '1.0.0' });
    server.tool('cook', { input: z.object({ dish: z.string() }) }, ({ dish }) => dish);
    server.tool('ask', {}, async (_, ctx) => `${(await ctx.roots()).length} roots`);
    const { url } = await serve(server);
    return connect(url, { revision, extensions, roots: [{ uri: 'file:///a' }] });
  }

  const around = (id: string, run: OwnCall): ClientExtension => ({ id, calls: { 'tools/call': run } });

  it('sees all rounds of a call as one, and those of the first extension are the outermost', async () => {
    const order: string[] = [];
    const named = (name: string) =>
      around(`com.example/${name}`, async ({ method, server, options }, next) => {
        order.push(`${name} ${method} ${typeof server} ${options.timeoutMs}`);
        const result = await next();
        order.push(`after ${name}`);
        return result;
      });
    await using client = await open(named('outer'), named('inner'));
    expect(await client.callTool('ask', {}, { timeoutMs: 9000 })).toMatchObject({
      content: [{ text: '1 roots' }],
    });
    await client.tools();
    expect(order).toEqual([
      'outer tools/call string 9000',
      'inner tools/call string 9000',
      'after inner',
      'after outer',
    ]);
  });

  it('changes parameters, answers by itself, and sends requests and answers questions meanwhile', async () => {
    await using client = await open(
      around('com.example/change', async (call, next) => {
        const { name } = call.params;
        if (name === 'none') return { content: [{ type: 'text', text: 'made here' }] };
        if (name !== 'cook') return next();
        const { tools } = await call.request('tools/list');
        const { where } = await call.answer({ where: { method: 'roots/list' } });
        const dish = `${(tools as unknown[]).length} ${JSON.stringify(where)}`;
        return next({ params: { ...call.params, arguments: { dish } } });
      }),
    );
    expect(await client.callTool('none')).toMatchObject({ content: [{ text: 'made here' }] });
    expect(await client.callTool('cook', { dish: 'soup' })).toMatchObject({
      content: [{ text: '2 {"roots":[{"uri":"file:///a"}]}' }],
    });
  });
});

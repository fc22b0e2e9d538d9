import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { type CallToolResult, Server, type ToolsOf } from '../../src/server/index.js';

const server = new Server({ name: 'bistro', version: '1.0.0' });
const reserve = server.tool(
  'reserve',
  { input: z.object({ restaurant: z.string() }), output: z.object({ id: z.string() }) },
  async ({ restaurant }) => ({ id: restaurant }),
);
const greet = server.tool('greet', {}, () => 'hello');
const tools = { reserve, greet };

describe('a client whose server is at hand', () => {
  it('knows the names, the arguments and the results of its tools', async () => {
    const client = await connect<ToolsOf<typeof reserve | typeof greet>>(server);
    const result = await client.callTool('reserve', { restaurant: 'Chez Nous' });
    expectTypeOf(result.structuredContent).toEqualTypeOf<{ id: string }>();
    expectTypeOf(await client.callTool('greet')).toEqualTypeOf<CallToolResult>();
    await client.close();
  });

  it('refuses what its tools do not take', () => {
    const wrong = (client: Client<ToolsOf<typeof reserve>>) => [
      // @ts-expect-error: there is no such tool
      client.callTool('resreve', { restaurant: 'Chez Nous' }),
      // @ts-expect-error: a restaurant is a string
      client.callTool('reserve', { restaurant: 1 }),
      // @ts-expect-error: it needs arguments
      client.callTool('reserve'),
    ];
    expect(wrong).toBeTypeOf('function');
  });

  it('takes an object of handles, too', async () => {
    const client = await connect<ToolsOf<typeof tools>>(server);
    const { structuredContent } = await client.callTool('reserve', { restaurant: 'Chez Nous' });
    expectTypeOf(structuredContent).toEqualTypeOf<{ id: string }>();
    expect(structuredContent).toEqual({ id: 'Chez Nous' });
    await client.close();
  });
});

describe('a client of any server', () => {
  it('takes any name and arguments, and tells nothing of the structured content', async () => {
    const client = await connect(server);
    const result = await client.callTool('greet', {});
    expectTypeOf(result).toEqualTypeOf<CallToolResult>();
    expectTypeOf(result.structuredContent).toEqualTypeOf<unknown>();
    expectTypeOf(await client.callTool('greet')).toEqualTypeOf<CallToolResult>();
    await client.close();
  });

  it('types the structured content by a schema that is given, and checks it', async () => {
    const client = await connect(server);
    const args = { restaurant: 'Chez Nous' };
    const { structuredContent } = await client.callTool('reserve', args, {
      output: z.object({ id: z.string() }),
    });
    expectTypeOf(structuredContent).toEqualTypeOf<{ id: string }>();
    const wrong = client.callTool('reserve', args, { output: z.object({ id: z.number() }) });
    await expect(wrong).rejects.toThrow(
      'the result of the tool reserve does not match the expected schema: id:',
    );
    await client.close();
  });

  it('gives requests of any method as JSON whose members nobody has looked at', async () => {
    const client = await connect(server);
    expectTypeOf(await client.request('tools/list')).toEqualTypeOf<Record<string, unknown>>();
    await client.close();
  });

  it('answers each form with its own fields, and leaves out those that are undefined', async () => {
    const bistro = new Server({ name: 'bistro', version: '1.0.0' });
    bistro.tool('reserve', {}, async (_args, ctx) => {
      const party = await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
      const sure = await ctx.elicit('Sure?', z.object({ ok: z.boolean(), note: z.string().optional() }));
      return JSON.stringify([party, sure]);
    });
    const client = await connect(bistro, {
      onElicit: ({ message }) => ({
        action: 'accept',
        content: message === 'Sure?' ? { ok: true, note: undefined } : { guests: 2 },
      }),
    });
    const { content } = await client.callTool('reserve');
    const answers = [
      { action: 'accept', content: { guests: 2 } },
      { action: 'accept', content: { ok: true } },
    ];
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(answers) }]);
    await client.close();
  });
});

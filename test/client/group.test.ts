import { afterEach, describe, expect, it } from 'vitest';
import type { ClientGroup, GroupProblem } from '../../src/client/index.js';
import { connectAll } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from './servers.js';

const groups: ClientGroup[] = [];
afterEach(async () => {
  for (const group of groups.splice(0)) await group.close();
});

function bistro(name: string): Server {
  const server = new Server({ name, version: '1.0.0' });
  server.tool('greet', {}, () => `hello from ${name}`);
  server.prompt('review', {}, () => `review ${name}`);
  server.resource('menu://today', {}, () => `menu of ${name}`);
  return server;
}

describe('several servers under one roof', () => {
  it('tell how far each of them is connected, and an error in the handler changes nothing', async () => {
    const told: Record<string, string[]> = { one: [], other: [] };
    const warnings: string[] = [];
    const group = await connectAll(
      { one: bistro('one'), other: await serve(bistro('other')) },
      {
        onStatus: ({ kind }, { server }) => {
          told[server]?.push(kind);
          if (server === 'one' && kind === 'probing') throw new Error('no screen');
        },
        onWarning: (text, { server }) => warnings.push(`${server}: ${text}`),
      },
    );
    groups.push(group);
    const kinds = ['starting', 'probing', 'connected'];
    expect(told).toEqual({ one: kinds, other: kinds });
    expect(warnings).toEqual(['one: onStatus failed: no screen']);
  });

  // covers: 2026-07-28/tools/collisions-are-resolved
  it('have names that are kept apart', async () => {
    const group = await connectAll({ one: bistro('one'), the_other: await serve(bistro('other')) });
    groups.push(group);
    expect((await group.tools()).map(({ name, server }) => [name, server])).toEqual([
      ['one__greet', 'one'],
      ['the_other__greet', 'the_other'],
    ]);
    expect((await group.callTool('the_other__greet')).content).toEqual([
      { type: 'text', text: 'hello from other' },
    ]);
    expect((await group.prompts()).map(({ name }) => name)).toEqual(['one__review', 'the_other__review']);
    const { messages } = await group.getPrompt('one__review');
    expect(messages[0]?.content).toEqual({ type: 'text', text: 'review one' });
    expect((await group.resources()).map(({ uri, server }) => [uri, server])).toEqual([
      ['menu://today', 'one'],
      ['menu://today', 'the_other'],
    ]);
    const { contents } = await group.readResource('one', 'menu://today');
    expect(contents).toMatchObject([{ text: 'menu of one' }]);
  });

  // covers: 2026-07-28/tools/collisions-are-resolved, 2026-07-28/tools/server-name-is-not-used-for-that
  it('are kept apart by the names that the host gives them, even if they call themselves the same', async () => {
    const group = await connectAll({ one: bistro('bistro'), two: bistro('bistro') });
    groups.push(group);
    expect((await group.tools()).map(({ name }) => name)).toEqual(['one__greet', 'two__greet']);
    expect((await group.prompts()).map(({ name }) => name)).toEqual(['one__review', 'two__review']);
  });

  it('refuse names that belong to none of them', async () => {
    const group = await connectAll({ one: bistro('one') });
    groups.push(group);
    expect(() => group.callTool('greet')).toThrow('greet names no server');
    expect(() => group.callTool('two__greet')).toThrow('there is no server two; there are one');
    await expect(connectAll({ a__b: bistro('x') })).rejects.toThrow('"a__b" cannot name a server');
  });

  it('all fail if one of them does', async () => {
    const targets = { one: bistro('one'), gone: 'http://127.0.0.1:1/mcp' };
    await expect(connectAll(targets)).rejects.toThrow('cannot connect to gone: ');
  });

  it('go on without the one that fails, if somebody is told', async () => {
    const problems: GroupProblem[] = [];
    const targets = { one: bistro('one'), gone: 'http://127.0.0.1:1/mcp' };
    const group = await connectAll(targets, { onProblem: problem => problems.push(problem) });
    groups.push(group);
    expect(group.servers).toEqual(['one']);
    expect(problems).toMatchObject([{ server: 'gone', error: { name: 'CannotConnect' } }]);
  });

  it('tell of their changes', async () => {
    const [one, two] = [bistro('one'), bistro('two')];
    const group = await connectAll({ one, two: await serve(two) });
    groups.push(group);
    const changes = group.changes()[Symbol.asyncIterator]();
    const first = changes.next();
    const repeat = setInterval(() => two.tool(`tool-${Math.random()}`, {}, () => 'x'), 20);
    expect(await first).toMatchObject({ value: { kind: 'tools', server: 'two' } });
    clearInterval(repeat);
    await changes.return?.();
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'bistro', version: '1.0.0' };

// covers: 2025-11-25/tasks/undeclared-tasks-are-plain-requests
it('a request for a task of 2025-11-25 is answered as any other, since tasks are not declared', async () => {
  const server = new Server(INFO);
  server.tool('cook', {}, () => 'done');
  const client = await connectRaw(server, { revision: '2025-11-25' });
  const params = { name: 'cook', task: { ttl: 60_000 } };
  expect(await client.request('tools/call', params)).toEqual({ content: [{ type: 'text', text: 'done' }] });
});

describe('suggestions for what is hidden', () => {
  const hidden = { authorize: () => false, hidden: 'unless-allowed' } as const;
  const input = z.object({ x: z.string() });

  // covers: 2026-07-28/completion/access-is-controlled, 2026-07-28/completion/nothing-is-disclosed
  it('cannot be told from those for what is not there', async () => {
    const server = new Server(INFO);
    server.prompt('open', { input, complete: { x: ['a'] } }, () => 'x');
    server.prompt('secret', { ...hidden, input, complete: { x: ['classified'] } }, () => 'x');
    server.resource('secret://{x}', { ...hidden, complete: { x: ['classified'] } }, () => 'x');
    const client = await connectRaw(server);
    const refusal = async (ref: Record<string, string>) => {
      const params = { ref, argument: { name: 'x', value: '' } };
      const { code, message } = await client.request('completion/complete', params).catch(error => error);
      return JSON.stringify({ code, message }).replaceAll('secret', 'nope');
    };
    expect(await refusal({ type: 'ref/prompt', name: 'secret' })).toBe(
      await refusal({ type: 'ref/prompt', name: 'nope' }),
    );
    expect(await refusal({ type: 'ref/resource', uri: 'secret://{x}' })).toBe(
      await refusal({ type: 'ref/resource', uri: 'nope://{x}' }),
    );
  });
});

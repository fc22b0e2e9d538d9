import { expect, test } from 'vitest';
import { createGate } from './gate.js';
import { LegacyClient } from './legacy-client.js';
import { ModernClient } from './modern-client.js';
import { serve, serverWith } from './serve.js';
import { SseClient } from './sse-client.js';

const UPDATED = 'notifications/resources/updated';
const TOOLS_CHANGED = 'notifications/tools/list_changed';

test('one process serves clients of all transports at the same time, and changes reach those who asked', async () => {
  const finish = createGate();
  const server = serverWith(server => {
    server.tool('work', {}, async (_args, ctx) => {
      ctx.log.info('begun');
      await finish.passed;
      ctx.log.info('nearly done');
      return `done for ${ctx.revision}`;
    });
    server.resource('note://a', {}, () => 'a');
    server.resource('note://b', {}, () => 'b');
  });
  const { url } = await serve(server, { sse: true });

  const old = await SseClient.open(new URL('/sse', url).href);
  const session = await LegacyClient.open(url, { revision: '2025-06-18' });
  const notices = await session.notices();
  const modern = new ModernClient(url);
  const [tools, notes] = [
    await modern.listen({ toolsListChanged: true }, 'tools'),
    await modern.listen({ resourceSubscriptions: ['note://a'] }, 2),
  ];
  for (const stream of [tools, notes]) {
    expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged');
  }

  // A session in the middle of a call loses its connection.
  const work = await session.stream('work', {}, { id: 'work' });
  expect((await work.message()).params.data).toBe('begun');
  work.cut();

  // A new tool reaches all three.
  server.tool('new', {}, () => 'new');
  expect((await old.stream.message()).method).toBe(TOOLS_CHANGED);
  expect((await notices.message()).method).toBe(TOOLS_CHANGED);
  expect((await tools.message()).method).toBe(TOOLS_CHANGED);
  for (const list of [await session.request('tools/list'), await modern.request('tools/list')]) {
    expect(list.result.tools.map(({ name }: { name: string }) => name)).toEqual(['work', 'new']);
  }

  // A resource reaches those who subscribed to it; a tool afterwards shows that the others heard nothing.
  await old.post({ jsonrpc: '2.0', id: 's', method: 'resources/subscribe', params: { uri: 'note://b' } });
  expect((await old.stream.message()).id).toBe('s');
  await session.request('resources/subscribe', { uri: 'note://a' });
  server.resourceChanged('note://a');
  expect(await notices.message()).toMatchObject({ method: UPDATED, params: { uri: 'note://a' } });
  expect(await notes.message()).toMatchObject({ method: UPDATED, params: { uri: 'note://a' } });
  server.resourceChanged('note://b');
  expect(await old.stream.message()).toMatchObject({ method: UPDATED, params: { uri: 'note://b' } });
  server.tool('newer', {}, () => 'newer');
  expect((await old.stream.message()).method).toBe(TOOLS_CHANGED);
  expect((await notices.message()).method).toBe(TOOLS_CHANGED);
  expect((await tools.message()).method).toBe(TOOLS_CHANGED);

  // The call goes on for the client that comes back, and for the others as if nothing had happened.
  const again = await session.resume(work.lastId!);
  await old.call('w', 'work');
  const fresh = await modern.stream('work', {}, { meta: { 'io.modelcontextprotocol/logLevel': 'info' } });
  finish.open();
  const [missed, result] = await again.rest();
  expect(missed?.params.data).toBe('nearly done');
  expect(result).toMatchObject({ id: 'work', result: { content: [{ text: 'done for 2025-06-18' }] } });
  expect((await fresh.rest()).at(-1)?.result.content[0].text).toBe('done for 2026-07-28');
  const spoken = [await old.stream.message(), await old.stream.message(), await old.stream.message()];
  expect(spoken.at(-1)).toMatchObject({ id: 'w', result: { content: [{ text: 'done for 2024-11-05' }] } });
  expect(notes.events).toHaveLength(2);
});

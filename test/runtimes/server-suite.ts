import { beforeAll, expect, it } from 'vitest';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';

/** Tests the desk on a runtime over HTTP, message by message. */
export function testServer(start: () => Promise<string>): void {
  let url: string;
  beforeAll(async () => {
    url = await start();
  });

  it('answers with text of any alphabet and length', async () => {
    const client = new ModernClient(url);
    expect((await client.call('greet', { name: 'Zoë 🎈' })).result.content[0].text).toBe('Hello Zoë 🎈');
    expect((await client.call('long_text')).result.content[0].text).toHaveLength(1_000_000);
  });

  it('streams progress before the result', async () => {
    const stream = await new ModernClient(url).stream('cook', {}, { meta: { progressToken: 1 } });
    const messages = await stream.rest();
    expect(messages[0]?.params.progress).toBe(1);
    expect(messages.at(-1)?.result.content[0].text).toBe('soup');
  });

  it('tells a stream about changes that another request makes', async () => {
    const client = new ModernClient(url);
    const changes = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['menu://today'],
    });
    expect((await changes.message()).method).toBe('notifications/subscriptions/acknowledged');
    await client.call('change_menu');
    expect((await changes.message()).params.uri).toBe('menu://today');
    await client.call('add_tool', { name: 'new' });
    expect((await changes.message()).method).toBe('notifications/tools/list_changed');
    changes.cut();
  });

  it('aborts a call whose client has gone', async () => {
    const client = new ModernClient(url);
    const endless = await client.stream('endless', {}, { meta: { progressToken: 1 } });
    await endless.message();
    endless.cut();
    expect((await client.call('wait_for_end')).result.content[0].text).toBe('it has ended');
  });

  it('keeps a session with questions, notices and an end', async () => {
    const client = await LegacyClient.open(url, { capabilities: { roots: {} } });
    const call = await client.stream('roots');
    const question = await call.message();
    expect(question.method).toBe('roots/list');
    expect((await client.answer(question.id!, { roots: [] })).status).toBe(202);
    expect((await call.message()).result.content[0].text).toBe('0 roots');

    const notices = await client.notices();
    await client.request('resources/subscribe', { uri: 'menu://today' });
    await client.call('change_menu');
    expect((await notices.message()).params.uri).toBe('menu://today');

    expect((await client.delete()).status).toBe(204);
    expect(await notices.ended()).toBe(true);
    expect((await client.request('ping')).status).toBe(404);
  });
}

/** Tests that a call goes on while its client is away. */
export function testResuming(start: () => Promise<string>): void {
  it('resumes the stream of a call whose connection broke', async () => {
    const client = await LegacyClient.open(await start(), {
      revision: '2025-11-25',
      capabilities: { roots: {} },
    });
    const call = await client.stream('roots');
    const question = await call.message();
    call.cut();
    const resumed = await client.resume(call.lastId!);
    expect((await client.answer(question.id!, { roots: [] })).status).toBe(202);
    expect((await resumed.message()).result.content[0].text).toBe('0 roots');
  });
}

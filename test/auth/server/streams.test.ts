import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../src/node/index.js';
import { protect } from '../../../src/server/auth/index.js';
import { Server } from '../../../src/server/index.js';
import { LegacyClient } from '../../http/legacy-client.js';
import { ModernClient } from '../../http/modern-client.js';
import { getStream } from '../../http/send.js';
import { bearer } from './protected.js';

/** Serves a server whose tokens say for how many seconds they are good: `3-ada`. */
async function serve() {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  const made = new Map<string, number>();
  const auth = protect({
    authorizationServers: ['https://login.example.com'],
    verify(token) {
      const [seconds, subject = ''] = token.split('-');
      if (!made.has(token)) made.set(token, Date.now() / 1000 + Number(seconds));
      return { subject, expiresAt: made.get(token) as number };
    },
  });
  const { url, close } = await listen(server, { port: 0, auth, heartbeatMs: 20 });
  onTestFinished(() => close(0));
  return { url, server };
}

describe('a stream that was opened with a token', () => {
  it('ends with it on 2026-07-28, without a closing result, and can be opened again with another', async () => {
    const { url, server } = await serve();
    const short = await new ModernClient(url, bearer('3-ada')).listen({ toolsListChanged: true });
    const long = await new ModernClient(url, bearer('60-ada')).listen({ toolsListChanged: true });
    server.tool('added', {}, () => '');
    const seen = (await short.rest()).map(({ method }) => method);
    expect(seen).toEqual(['notifications/subscriptions/acknowledged', 'notifications/tools/list_changed']);
    expect((await long.message()).method).toBe('notifications/subscriptions/acknowledged');
    expect((await long.message()).method).toBe('notifications/tools/list_changed');
    server.tool('one more', {}, () => '');
    expect((await long.message()).method).toBe('notifications/tools/list_changed');
  });

  it('ends with it in a session, which goes on with another from the last event', async () => {
    const { url, server } = await serve();
    const revision = '2025-11-25';
    const client = await LegacyClient.open(url, { revision, headers: bearer('3-ada') });
    const notices = await client.notices();
    expect(await notices.rest()).toEqual([]);
    server.tool('added', {}, () => '');

    const lastEventId = notices.events.at(-1)?.id as string;
    const renewed = { ...client.headers, ...bearer('60-ada') };
    const again = await getStream(url, { ...renewed, 'last-event-id': lastEventId });
    expect((await again.message()).method).toBe('notifications/tools/list_changed');
    const refused = await fetch(url, { headers: { ...client.headers, accept: 'text/event-stream' } });
    expect(refused.status).toBe(401);
  });

  it('stays open if the token does not expire', async () => {
    const { url, server } = await serve();
    const stream = await new ModernClient(url, bearer('1e12-ada')).listen({ toolsListChanged: true });
    await stream.message();
    while (stream.comments.length < 3) await new Promise(resolve => setTimeout(resolve, 5));
    server.tool('added', {}, () => '');
    expect((await stream.message()).method).toBe('notifications/tools/list_changed');
  });

  it('does not end while it brings the answer to a call that the token was good for', async () => {
    const { url, server } = await serve();
    server.tool('slow', {}, async (_, { progress, caller }) => {
      progress(1);
      const left = (caller?.expiresAt as number) * 1000 - Date.now();
      await new Promise(resolve => setTimeout(resolve, left + 200));
      return 'done';
    });
    const client = new ModernClient(url, bearer('1-ada'));
    const stream = await client.stream('slow', {}, { meta: { progressToken: 1 } });
    expect((await stream.rest()).at(-1)?.result.content).toEqual([{ type: 'text', text: 'done' }]);
  });
});

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { CutCluster } from './cut.js';
import { type OpenStore, startNodes } from './nodes.js';
import { type Events, HandshakeClient, type Message } from './wire.js';

const CAPABILITIES = { elicitation: {}, roots: {}, sampling: {} };
const ACCEPTED = { action: 'accept', content: { guests: 4 } };

/** Answers to questions of the handshake revisions reach the node that asked. */
export function describeAnswers(open: OpenStore): void {
  const start = async (options = {}) => {
    const nodes = await startNodes(open, 3, log => bistro(log), options);
    return nodes.map(({ running }) => running.url) as [string, string, string];
  };

  describe.each(['2025-11-25', '2025-06-18'])('a question of %s', revision => {
    it('is answered at another node', async () => {
      const [a, b, c] = await start();
      const client = await HandshakeClient.open(a, { revision, capabilities: CAPABILITIES });
      for (const [asked, answered] of [
        [a, b],
        [b, c],
        [c, a],
      ] as const) {
        const events = await client.request(asked, 'tools/call', { name: 'reserve', arguments: {} });
        const question = await questionOf(events);
        const taken = await client.post(answered, { id: question.id, result: ACCEPTED });
        expect(taken.status).toBe(202);
        expect(await textOf(events)).toBe('table for 4');
      }
    });
  });

  describe('a question', () => {
    it('hears of progress that reaches another node', async () => {
      const [a, b] = await start();
      const client = await HandshakeClient.open(a, { capabilities: CAPABILITIES });
      const events = await client.request(a, 'tools/call', { name: 'think', arguments: {} });
      const question = await questionOf(events);
      const progressToken = question.params?._meta.progressToken;
      const params = { progressToken, progress: 1, message: 'looking' };
      await client.post(b, { method: 'notifications/progress', params });
      expect((await events.nextOf('notifications/message')).params?.data).toBe('looking');
      await client.post(b, { id: question.id, result: { roots: [] } });
      expect(await textOf(events)).toBe('0 roots');
    });

    it('ends with a malformed answer that reaches another node', async () => {
      const [a, b] = await start();
      const client = await HandshakeClient.open(a, { capabilities: CAPABILITIES });
      const events = await client.request(a, 'tools/call', { name: 'reserve', arguments: {} });
      const question = await questionOf(events);
      const taken = await client.post(b, { id: question.id, result: 'four' });
      expect(taken.status).toBe(400);
      const [response] = await events.until(({ id }) => id !== undefined);
      expect(JSON.stringify(response)).toContain('malformed');
    });

    it('is answered in a batch at another node', async () => {
      const [a, b] = await start();
      const client = await HandshakeClient.open(a, { revision: '2025-03-26', capabilities: CAPABILITIES });
      const events = await client.request(a, 'tools/call', { name: 'think', arguments: {} });
      const question = await questionOf(events);
      const taken = await client.post(b, [{ id: question.id, result: { roots: [] } }]);
      expect(taken.status).toBe(202);
      expect(await textOf(events)).toBe('0 roots');
    });

    it('is asked although another node heard that the client is initialized', async () => {
      const [a, b] = await start();
      const client = await HandshakeClient.open(a, { capabilities: CAPABILITIES, initializedAt: b });
      const events = await client.request(a, 'tools/call', { name: 'reserve', arguments: {} });
      const question = await questionOf(events);
      await client.post(b, { id: question.id, result: ACCEPTED });
      expect(await textOf(events)).toBe('table for 4');
    });
  });

  describe('an answer', () => {
    it('is refused if no node waits for it', async () => {
      const [a, b] = await start();
      const client = await HandshakeClient.open(a, { capabilities: CAPABILITIES });
      const events = await client.request(a, 'tools/call', { name: 'reserve', arguments: {} });
      const { id } = await questionOf(events);
      const [node] = String(id).split('-');
      const refused = await client.post(b, { id: `${node}-1`, result: ACCEPTED });
      expect(refused.status).toBe(400);
      expect(((await refused.json()) as Message).error?.message).toContain('no longer waits');
      await client.post(b, { id, result: ACCEPTED });
      expect(await textOf(events)).toBe('table for 4');
    });

    it('of another session is refused', async () => {
      const [a, b] = await start();
      const [client, other] = [
        await HandshakeClient.open(a, { capabilities: CAPABILITIES }),
        await HandshakeClient.open(a, { capabilities: CAPABILITIES }),
      ];
      const events = await client.request(a, 'tools/call', { name: 'reserve', arguments: {} });
      const { id } = await questionOf(events);
      expect((await other.post(b, { id, result: ACCEPTED })).status).toBe(400);
      await client.post(b, { id, result: { action: 'decline' } });
      expect(await textOf(events)).toBe('no table');
    });

    it('can be sent again when the store is back', async () => {
      const cuts: CutCluster[] = [];
      const [a, b] = await start({
        wrap: (own: ConstructorParameters<typeof CutCluster>[0]) => {
          const cut = new CutCluster(own);
          cuts.push(cut);
          return cut.cluster;
        },
      });
      const client = await HandshakeClient.open(a, { capabilities: CAPABILITIES, initializedAt: b });
      const events = await client.request(a, 'tools/call', { name: 'reserve', arguments: {} });
      const question = await questionOf(events);
      cuts[1]?.cut();
      const refused = await client.post(b, { id: question.id, result: ACCEPTED });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toBe('2');
      expect(((await refused.json()) as Message).error?.data).toEqual({ retryAfterMs: 2000 });
      cuts[1]?.mend();
      expect((await client.post(b, { id: question.id, result: ACCEPTED })).status).toBe(202);
      expect(await textOf(events)).toBe('table for 4');
    });
  });

  it('a call is cancelled at another node', async () => {
    const [a, b] = await start();
    const client = await HandshakeClient.open(a);
    const events = await client.request(a, 'tools/call', { name: 'wait', arguments: {} }, 'slow');
    await events.nextOf('notifications/message');
    await client.post(b, {
      method: 'notifications/cancelled',
      params: { requestId: 'slow', reason: 'too slow' },
    });
    // A cancelled request has no response, so its stream ends.
    expect(await events.next()).toBeUndefined();
  });
}

async function questionOf(events: Events): Promise<Message> {
  const messages = await events.until(({ id, method }) => id !== undefined && method !== undefined);
  return messages.at(-1) as Message;
}

async function textOf(events: Events): Promise<string> {
  const messages = await events.until(({ result, error }) => result !== undefined || error !== undefined);
  return messages.at(-1)?.result?.content[0].text;
}

function bistro(log: ServerOptions): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, log);
  server.tool('reserve', {}, async (_, ctx) => {
    const answer = await ctx.elicit('How many?', z.object({ guests: z.number() }));
    return answer.action === 'accept' ? `table for ${answer.content.guests}` : 'no table';
  });
  server.tool('think', {}, async (_, ctx) => {
    const onProgress = ({ message }: { message?: string }) => ctx.log.info(message);
    const roots = await ctx.roots({ onProgress });
    return `${roots.length} roots`;
  });
  server.tool('wait', {}, async (_, ctx) => {
    ctx.log.info('waiting');
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
    return 'never';
  });
  return server;
}

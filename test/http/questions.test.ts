import { describe, expect, test } from 'vitest';
import type { Server } from '../../src/server/index.js';
import { LegacyClient } from './legacy-client.js';
import { postJson } from './send.js';
import { serve, serverWith } from './serve.js';

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

/** The tools of the asker, and what they ask. */
const QUESTIONS = [
  ['reserve', 'elicitation/create'],
  ['think', 'sampling/createMessage'],
  ['look', 'roots/list'],
] as const;

const seats = {
  type: 'object',
  properties: { guests: { type: 'integer', minimum: 1 } },
  required: ['guests'],
} as const;

function asker(): Server {
  return serverWith(server => {
    server.tool('reserve', {}, async (_args, ctx) => {
      const answer = await ctx.elicit('How many guests?', seats);
      return answer.action === 'accept' ? `for ${answer.content.guests}` : answer.action;
    });
    server.tool('think', {}, async (_args, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Think!' } }];
      const { content } = await ctx.sample({ messages, maxTokens: 10 });
      return JSON.stringify(content);
    });
    server.tool('look', {}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
  });
}

describe('a question to the client', () => {
  // covers: 2025-06-18/transports/http-stream-is-about-its-request
  test.for(['2025-06-18', '2025-11-25'])(
    'goes out on the stream of the POST, and another POST brings the answer: elicitation at %s',
    async revision => {
      const { url } = await serve(asker());
      const client = await LegacyClient.open(url, { revision, capabilities: CAPABILITIES });
      const stream = await client.stream('reserve', {}, { id: 'r' });
      const question = await stream.message();
      expect(question).toMatchObject({
        jsonrpc: '2.0',
        method: 'elicitation/create',
        params: {
          message: 'How many guests?',
          requestedSchema: { properties: { guests: { type: 'integer' } } },
        },
      });
      const response = await client.answer(question.id!, { action: 'accept', content: { guests: 4 } });
      expect(response.status).toBe(202);
      expect(await stream.rest()).toMatchObject([{ id: 'r', result: { content: [{ text: 'for 4' }] } }]);
    },
  );

  test.for(['2025-03-26', '2025-06-18', '2025-11-25'])('works for sampling at %s', async revision => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { revision, capabilities: CAPABILITIES });
    const stream = await client.stream('think');
    const question = await stream.message();
    expect(question).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 10 } });
    await client.answer(question.id!, {
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'hm' },
    });
    expect((await stream.message()).result.content[0].text).toBe('{"type":"text","text":"hm"}');
  });

  test.for(['2025-03-26', '2025-06-18', '2025-11-25'])('works for roots at %s', async revision => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { revision, capabilities: CAPABILITIES });
    const stream = await client.stream('look');
    const question = await stream.message();
    expect(question).toMatchObject({ method: 'roots/list', params: {} });
    await client.answer(question.id!, { roots: [{ uri: 'file:///home' }] });
    expect((await stream.message()).result.content[0].text).toBe('file:///home');
  });

  test('that the client answers with an error fails the call and nothing else', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('look');
    const { id } = await stream.message();
    await client.post({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no roots here' } });
    const text = 'the client answered roots/list with an error: no roots here';
    expect((await stream.message()).result).toEqual({ content: [{ type: 'text', text }], isError: true });
    expect((await client.request('ping')).result).toEqual({});
  });

  test.for([
    [{ result: null }, 'result must be an object'],
    [{ result: 'x' }, 'result must be an object'],
    [{ result: [] }, 'result must be an object'],
    [{ error: 'x' }, 'error must have an integer code'],
    [{ result: {}, error: { code: -1, message: 'no' } }, 'a response has either a result or an error'],
    [{ jsonrpc: '1.0', result: {} }, 'jsonrpc must be "2.0"'],
    [{}, 'a message needs a method, or a result or an error'],
  ] as const)('fails at once if the answer is malformed: %j', async ([answer, problem]) => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { revision: '2025-11-25', capabilities: CAPABILITIES });
    for (const [tool, method] of QUESTIONS) {
      const stream = await client.stream(tool, {}, { id: tool });
      const { id } = await stream.message();
      const response = await client.post({ jsonrpc: '2.0', id, ...answer });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: problem } });
      const text = `the client's answer to ${method} is malformed: ${problem}`;
      const result = { content: [{ type: 'text', text }], isError: true };
      expect(await stream.rest()).toEqual([{ jsonrpc: '2.0', id: tool, result }]);
    }
  });

  test('fails at once if the answer is malformed and part of a batch', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { revision: '2025-03-26', capabilities: CAPABILITIES });
    const stream = await client.stream('look', {}, { id: 'l' });
    const { id } = await stream.message();
    const response = await client.post([{ jsonrpc: '2.0', id }]);
    const problem = 'a message needs a method, or a result or an error';
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: problem } });
    const text = `the client's answer to roots/list is malformed: ${problem}`;
    const result = { content: [{ type: 'text', text }], isError: true };
    expect(await stream.rest()).toEqual([{ jsonrpc: '2.0', id: 'l', result }]);
  });

  test('goes on if something malformed has another id or session, or a method', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stranger = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('reserve');
    const id = (await stream.message()).id as number;
    const damaged = { jsonrpc: '2.0', id, result: null };
    for (const response of [
      await client.post({ ...damaged, id: id + 1 }),
      await client.post({ ...damaged, id: String(id) }),
      await client.post({ ...damaged, id: null }),
      await client.post({ jsonrpc: '2.0', id, method: 7 }),
      await client.post({ jsonrpc: '2.0', id, method: 'ping', params: 7 }),
      await client.post(damaged, { 'mcp-session-id': 'unknown' }),
      await stranger.post(damaged),
      await postJson(url, damaged),
    ]) {
      expect(response.status).toBe(400);
    }
    expect(await (await client.post({ jsonrpc: '2.0', id: 'mine' })).json()).toMatchObject({ id: 'mine' });
    await client.answer(id, { action: 'accept', content: { guests: 2 } });
    expect((await stream.message()).result.content[0].text).toBe('for 2');
  });

  // covers: 2025-06-18/roots/server-checks-the-capability
  test('is not sent to a client that did not declare the capability', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url);
    for (const tool of ['reserve', 'think', 'look']) {
      const { headers, messages } = await client.call(tool);
      expect(headers.get('content-type')).toBe('application/json');
      expect(messages).toMatchObject([{ result: { isError: true } }]);
    }
  });

  // covers: 2025-06-18/cancellation/server-cancels-only-its-own-requests
  test('is withdrawn when the client cancels the request that it belongs to', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('reserve', {}, { id: 'r' });
    const question = await stream.message();
    await client.notify('notifications/cancelled', { requestId: 'r' });
    const rest = await stream.rest();
    expect(rest.every(({ id }) => id === undefined)).toBe(true);
    expect(rest).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: question.id } }]);
  });

  test('is answered by its own session only', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stranger = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('reserve');
    const { id } = await stream.message();
    await stranger.answer(id!, { action: 'accept', content: { guests: 99 } });
    await client.answer(id!, { action: 'accept', content: { guests: 2 } });
    expect((await stream.message()).result.content[0].text).toBe('for 2');
  });

  test('is told apart from another that is open in the same session', async () => {
    const { url } = await serve(asker());
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const streams = [await client.stream('reserve'), await client.stream('reserve')];
    const [first, second] = await Promise.all(streams.map(stream => stream.message()));
    expect(first!.id).not.toBe(second!.id);
    await client.answer(second!.id!, { action: 'accept', content: { guests: 2 } });
    await client.answer(first!.id!, { action: 'accept', content: { guests: 1 } });
    const results = await Promise.all(streams.map(stream => stream.message()));
    expect(results.map(({ result }) => result.content[0].text)).toEqual(['for 1', 'for 2']);
  });

  test('is not mistaken for one that another node asked in the same session', async () => {
    const keys = ['a key of at least thirty-two bytes'];
    const [one, two] = [await serve(asker(), { keys }), await serve(asker(), { keys })];
    const client = await LegacyClient.open(one.url, { capabilities: CAPABILITIES });
    const elsewhere = new LegacyClient(two.url, client);
    const [here, there] = [await client.stream('reserve'), await elsewhere.stream('reserve')];
    const [question, other] = [await here.message(), await there.message()];
    // A load balancer may bring the answer to the wrong node.
    expect((await elsewhere.answer(question.id!, { action: 'accept', content: { guests: 99 } })).status).toBe(
      400,
    );
    await elsewhere.answer(other.id!, { action: 'accept', content: { guests: 2 } });
    expect((await there.message()).result.content[0].text).toBe('for 2');
    here.cut();
  });

  test('survives a lost connection: the client reads it when it comes back', async () => {
    const { url } = await serve(
      serverWith(server => {
        server.tool('late', {}, async (_args, ctx) => {
          ctx.log.info('started');
          await cut;
          const answer = await ctx.elicit('How many guests?', seats);
          return answer.action;
        });
      }),
    );
    let lost!: () => void;
    const cut = new Promise<void>(resolve => {
      lost = resolve;
    });
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('late');
    await stream.message();
    stream.cut();
    lost();
    const again = await client.resume(stream.lastId!);
    const question = await again.message();
    expect(question.method).toBe('elicitation/create');
    await client.answer(question.id!, { action: 'decline' });
    expect((await again.message()).result.content[0].text).toBe('decline');
  });

  test('reports progress of the answer while it is waited for', async () => {
    const heard: unknown[] = [];
    const { url } = await serve(
      serverWith(server => {
        server.tool('reserve', {}, async (_args, ctx) => {
          await ctx.elicit('How many guests?', seats, { onProgress: progress => heard.push(progress) });
          return 'done';
        });
      }),
    );
    const client = await LegacyClient.open(url, { capabilities: CAPABILITIES });
    const stream = await client.stream('reserve');
    const { id, params } = await stream.message();
    await client.notify('notifications/progress', {
      progressToken: params._meta.progressToken,
      progress: 1,
      total: 2,
    });
    await client.answer(id!, { action: 'cancel' });
    await stream.message();
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
  });
});

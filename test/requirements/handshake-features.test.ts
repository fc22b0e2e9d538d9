import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../../src/client/index.js';
import { InvalidAnswer, RequestTimeout, UsageError } from '../../src/node/client/index.js';
import { connected, failure, serveRaw } from '../client-faults/connected.js';
import { type Answer, type Ask, legacy } from '../client-faults/raw-server.js';
import { pair, REVISION } from './raw-pair.js';

describe('a client of 2025-06-18 declares', () => {
  async function declared(options: ConnectOptions): Promise<any> {
    const { server } = await pair({}, options);
    return server.of('initialize')[0]!.message.params.capabilities;
  }

  // covers: 2025-06-18/elicitation/capability-is-declared
  test('elicitation if it can show forms, and only then', async () => {
    expect(await declared({ onElicit: () => ({ action: 'cancel' }) })).toHaveProperty('elicitation');
    expect(await declared({})).toEqual({});
  });

  // covers: 2025-06-18/sampling/capability-is-declared
  test('sampling if it has a model, and only then', async () => {
    const onSample = () => ({
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: '' },
    });
    expect(await declared({ onSample })).toEqual({ sampling: {} });
  });

  // covers: 2025-06-18/roots/capability-is-declared
  test('roots if it has any, and that it tells of changes', async () => {
    expect(await declared({ roots: [] })).toEqual({ roots: { listChanged: true } });
  });
});

describe('roots of a client of 2025-06-18', () => {
  // covers: 2025-06-18/roots/changes-are-told, 2025-06-18/schema/roots-change-is-sent-on-every-change
  test('that change are told to the server each time', async () => {
    const { server, client } = await pair({}, { roots: [{ uri: 'file:///one' }] });
    await client.setRoots([{ uri: 'file:///one' }, { uri: 'file:///two' }]);
    await client.setRoots([{ uri: 'file:///two' }]);
    await client.setRoots([{ uri: 'file:///two', name: 'Second' }]);
    expect(server.of('notifications/roots/list_changed').map(({ message }) => message)).toEqual(
      Array(3).fill({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
    );
  });
});

describe('a root of a client of 2025-06-18', () => {
  // covers: 2025-06-18/roots/uri-is-a-file-uri, 2025-06-18/roots/uris-are-validated
  test.for(['https://example.com/', '/home', 'file:///a/../etc', 'file:///a/%2e%2e/etc'])(
    'is never %s, neither in a list nor from a function',
    async uri => {
      await expect(pair({}, { roots: [{ uri }] })).rejects.toBeInstanceOf(UsageError);
      let call: Ask | undefined;
      const answers: any[] = [];
      const { client } = await pair(
        {
          'tools/call': ask => {
            call = ask.stream().event({ jsonrpc: '2.0', id: 1, method: 'roots/list' });
          },
          POST: ask => {
            answers.push(ask.message);
            ask.send(202);
            call?.event(call.textMessage('done'));
          },
        },
        { roots: () => [{ uri }] },
      );
      await client.callTool('look');
      expect(answers).toMatchObject([{ id: 1, error: { code: expect.any(Number) } }]);
    },
  );
});

describe('a list that a client of 2025-06-18 reads', () => {
  const TOOL = (name: string) => ({ name, inputSchema: { type: 'object' } });

  // covers: 2025-06-18/pagination/with-and-without-pages
  test('may be one page', async () => {
    const { server, client } = await pair({ 'tools/list': ask => ask.result({ tools: [TOOL('a')] }) });
    expect(await client.tools()).toMatchObject([{ name: 'a' }]);
    expect(server.of('tools/list').map(({ message }) => message.params?.cursor)).toEqual([undefined]);
  });

  // covers: 2025-06-18/pagination/cursors-are-opaque, 2025-06-18/pagination/with-and-without-pages
  // covers: 2025-06-18/pagination/no-fixed-page-size, 2025-06-18/prompts/client-reads-all-pages
  test('may have pages of any size, and its cursors go back as they came', async () => {
    const cursors = [
      undefined,
      '',
      ' ',
      'page=2&size=0',
      'eyJwYWdlIjogMn0=',
      'ä\n"\u0000',
      'x'.repeat(10_000),
    ];
    const sizes = [2, 0, 5, 1, 3, 0, 1];
    const { server, client } = await pair({
      'prompts/list': ask => {
        const at = cursors.indexOf(ask.message.params?.cursor);
        const prompts = Array.from({ length: sizes[at]! }, (_, n) => ({ name: `${at}-${n}` }));
        const nextCursor = cursors[at + 1];
        ask.result(nextCursor === undefined ? { prompts } : { prompts, nextCursor });
      },
    });
    expect(await client.prompts()).toHaveLength(12);
    expect(server.of('prompts/list').map(({ message }) => message.params?.cursor)).toEqual(cursors);
  });

  // covers: 2025-06-18/pagination/cursors-are-not-kept
  test('begins without a cursor in a new session', async () => {
    let session = 1;
    const page: Answer = ask => {
      if (ask.session !== `s-${session}`) return ask.send(404);
      const isFirst = ask.message.params?.cursor === undefined;
      ask.result({ tools: [TOOL(`${session}`)], ...(isFirst && { nextCursor: `cursor of ${session}` }) });
    };
    const server = await serveRaw(legacy({ 'tools/list': page }, () => `s-${session}`));
    const client = await connected(server.url, { revision: REVISION });
    await client.tools();
    session = 2;
    await client.tools();
    const asked = server.of('tools/list').filter(ask => ask.session === 's-2');
    expect(asked.map(({ message }) => message.params?.cursor)).toEqual([undefined, 'cursor of 2']);
  });
});

describe('a tool that a client of 2025-06-18 calls', () => {
  // covers: 2025-06-18/tools/client-validates-by-the-output-schema
  test('fails the call if its result does not fit its output schema', async () => {
    const outputSchema = {
      type: 'object',
      properties: { celsius: { type: 'number' } },
      required: ['celsius'],
    };
    let structuredContent: object = { celsius: 21 };
    const { client } = await pair({
      'tools/list': ask =>
        ask.result({ tools: [{ name: 'weather', inputSchema: { type: 'object' }, outputSchema }] }),
      'tools/call': ask => ask.result({ content: [], structuredContent }),
    });
    await client.tools();
    expect(await client.callTool('weather')).toMatchObject({ structuredContent });
    structuredContent = { celsius: 'warm' };
    expect(await failure(client.callTool('weather'))).toBeInstanceOf(InvalidAnswer);
  });

  // covers: 2025-06-18/tools/annotations-are-untrusted
  test('is never called twice, whatever its annotations say', async () => {
    const annotations = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };
    const { server, client } = await pair({
      'tools/list': ask =>
        ask.result({ tools: [{ name: 'harmless', inputSchema: { type: 'object' }, annotations }] }),
      'tools/call': ask => ask.response.destroy(),
    });
    await client.tools();
    await failure(client.callTool('harmless'));
    expect(server.of('tools/call')).toHaveLength(1);
  });
});

describe('a completion that a client of 2025-06-18 asks for', () => {
  // covers: 2025-06-18/completion/client-copes-with-partial-results
  test('may be empty, or a part', async () => {
    const completions = [{ values: [] }, { values: ['a'], hasMore: true }, { values: ['a', 'b'], total: 10 }];
    const { client } = await pair({
      initialize: ask => welcomeCompletions(ask),
      'completion/complete': ask =>
        ask.result({ completion: completions[ask.message.params.argument.value] }),
    });
    for (const [at, completion] of completions.entries()) {
      const argument = { name: 'dish', value: `${at}` };
      expect(await client.complete({ type: 'ref/prompt', name: 'order' }, argument)).toMatchObject(
        completion,
      );
    }
  });
});

function welcomeCompletions(ask: Ask): void {
  ask.result({
    protocolVersion: REVISION,
    capabilities: { completions: {}, prompts: {} },
    serverInfo: { name: 'raw', version: '1.0.0' },
  });
}

describe('questions of a server of 2025-06-18', () => {
  const requestedSchema = { type: 'object', properties: {} };
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello' } }];

  // covers: 2025-06-18/elicitation/client-limits-the-rate, 2025-06-18/sampling/client-limits-the-rate
  test.for([
    ['elicitation/create', { message: '?', requestedSchema }],
    ['sampling/createMessage', { messages, maxTokens: 10 }],
  ] as const)('are not all put at once, however many there are: %s', async ([method, params]) => {
    let [open, most, put] = [0, 0, 0];
    const answer = async <T>(value: T): Promise<T> => {
      put++;
      most = Math.max(most, ++open);
      await new Promise(setImmediate);
      open--;
      return value;
    };
    const { client } = await pair(
      {
        'tools/call': ask => {
          ask.stream();
          for (let id = 0; id < 1000; id++) ask.event({ jsonrpc: '2.0', id: `q-${id}`, method, params });
          ask.event(ask.textMessage('done'));
        },
        POST: ask => ask.send(202),
      },
      {
        onElicit: () => answer({ action: 'decline' as const }),
        onSample: () =>
          answer({
            role: 'assistant' as const,
            model: 'm',
            content: { type: 'text' as const, text: 'Hi' },
          }),
      },
    );
    await client.callTool('ask');
    expect(put).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(100);
  });
});

describe('a ping of a client of 2025-06-18', () => {
  // covers: 2025-06-18/ping/timeout-is-appropriate
  test('takes no longer than the time that is given for it', async () => {
    const { client } = await pair({ ping: () => {} });
    expect(await failure(client.ping({ timeoutMs: 50 }))).toBeInstanceOf(RequestTimeout);
  });

  // covers: 2025-06-18/ping/no-excessive-pings
  test('is sent when it is asked for, and not beside other requests', async () => {
    const { server, client } = await pair({ 'tools/call': ask => ask.text('done') });
    for (let call = 0; call < 20; call++) await client.callTool('soup');
    expect(server.of('ping')).toHaveLength(0);
    await client.ping();
    expect(server.of('ping')).toHaveLength(1);
  });
});

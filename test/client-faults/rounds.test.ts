import { describe, expect, test, vi } from 'vitest';
import { InvalidAnswer, TooManyRounds } from '../../src/node/client/index.js';
import { McpError } from '../../src/server/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { expectUsable, failure, pair } from './connected.js';
import { type Answer, type Ask, legacy, modern } from './raw-server.js';

failOnUnhandled();

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'How many?',
    requestedSchema: { type: 'object', properties: { n: { type: 'integer' } } },
  },
};
const ACCEPT = { action: 'accept', content: { n: 2 } } as const;

/** A server whose tools answer with whatever the test says, and `fine` as it should be. */
function asking(answer: Answer) {
  return modern({
    'tools/call': ask => (ask.message.params.name === 'fine' ? ask.text('fine') : answer(ask)),
  });
}

function input(ask: Ask, fields: object): void {
  ask.result({ resultType: 'input_required', ...fields });
}

describe('a server that asks', () => {
  // covers: 2026-07-28/sampling/tool-loops-are-limited
  test('without end is left after 16 rounds', async () => {
    const onElicit = vi.fn(() => ACCEPT);
    const { client, server } = await pair(
      asking(ask => input(ask, { inputRequests: { n: FORM } })),
      { onElicit },
    );
    const error = await failure(client.callTool('x'));
    expect(error).toBeInstanceOf(TooManyRounds);
    expect(server.of('tools/call')).toHaveLength(16);
    expect(onElicit).toHaveBeenCalledTimes(15);
    await expectUsable(client);
  });

  const STATES = [
    '',
    ' ',
    '"\\\n\r\t\u0000\u001f',
    'ß☃𝄞\ud800',
    '{"a":1}',
    `${'𝄞x'.repeat(20_000)}`,
    '\u2028\u2029\ufeff',
  ];
  // covers: 2026-07-28/mrtr/inputs-before-retry, 2026-07-28/mrtr/retry-has-another-id
  // covers: 2026-07-28/mrtr/state-goes-back-unchanged, 2026-07-28/mrtr/state-is-opaque-to-clients
  // covers: 2026-07-28/tools/retry-has-another-id
  test.for(STATES.map(state => [JSON.stringify(state).slice(0, 30), state] as const))(
    'gets its state %s back as it was',
    async ([, state]) => {
      const { client, server } = await pair(
        asking(ask =>
          ask.message.params.requestState === undefined
            ? input(ask, { inputRequests: { n: FORM }, requestState: state })
            : ask.text('done'),
        ),
        { onElicit: () => ACCEPT },
      );
      await client.callTool('x', { a: 1 });
      const [first, second] = server.of('tools/call').map(ask => ask.message) as [any, any];
      expect(second.params.requestState).toBe(state);
      expect(second.params.inputResponses).toEqual({ n: ACCEPT });
      expect(second.params.arguments).toEqual({ a: 1 });
      expect(second.id).not.toBe(first.id);
    },
  );

  // covers: 2026-07-28/mrtr/no-state-without-one
  test('forgets its state in the second round, and does not get the first one back in the third', async () => {
    let round = 0;
    const { client, server } = await pair(
      asking(ask => {
        round++;
        if (round === 1) return input(ask, { inputRequests: { a: FORM }, requestState: 'first' });
        if (round === 2) return input(ask, { inputRequests: { b: FORM } });
        ask.text('done');
      }),
      { onElicit: () => ACCEPT },
    );
    await client.callTool('x');
    const third = server.of('tools/call')[2]!.message.params;
    expect(third).not.toHaveProperty('requestState');
    expect(third.inputResponses).toEqual({ b: ACCEPT });
  });

  test('nothing, with a state, is called again a little later', async () => {
    const times: number[] = [];
    const { client } = await pair(
      asking(ask => {
        times.push(performance.now());
        if (times.length < 3) input(ask, { requestState: `${times.length}` });
        else ask.text('done');
      }),
    );
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
    expect(times).toHaveLength(3);
    expect(times[2]! - times[0]!).toBeGreaterThan(1);
  });

  test('nothing, with a state, is left when the caller loses interest meanwhile', async () => {
    const controller = new AbortController();
    let calls = 0;
    const { client } = await pair(
      asking(ask => {
        input(ask, { requestState: `${++calls}` });
        if (calls === 3) controller.abort(new Error('enough'));
      }),
    );
    expect(await failure(client.callTool('x', {}, { signal: controller.signal }), 10_000)).toEqual(
      new Error('enough'),
    );
    await expectUsable(client);
  });

  test('and is left has its questions withdrawn at once', async () => {
    const controller = new AbortController();
    const seen: boolean[] = [];
    const { client } = await pair(
      asking(ask => input(ask, { inputRequests: { a: FORM, b: FORM } })),
      {
        onElicit: (_form, { signal }) =>
          new Promise(() => {
            signal.addEventListener('abort', () => seen.push(signal.aborted));
            if (seen.push(signal.aborted) === 2) {
              controller.abort(new Error('enough'));
              seen.push(signal.aborted);
            }
          }),
      },
    );
    const error = await failure(client.callTool('x', {}, { signal: controller.signal }));
    expect(error).toEqual(new Error('enough'));
    expect(seen).toEqual([false, false, true, true, true]);
    await expectUsable(client);
  });

  const nonsense: [string, object][] = [
    ['nothing at all', {}],
    ['a kind of question that nobody knows', { inputRequests: { a: { method: 'user/obey', params: {} } } }],
    ['what everybody knows and what nobody knows', { inputRequests: { a: FORM, b: { method: 'x' } } }],
    ['with a list', { inputRequests: [FORM] }],
    ['with a state that is no text', { requestState: { a: 1 } }],
    ['with null', { inputRequests: { a: null } }],
    ['for a form without parameters', { inputRequests: { a: { method: 'elicitation/create' } } }],
    ['a model without parameters', { inputRequests: { a: { method: 'sampling/createMessage' } } }],
    [
      'for a form with parameters that are none',
      { inputRequests: { a: { method: 'elicitation/create', params: 'x' } } },
    ],
  ];
  // covers: 2026-07-28/mrtr/inputs-before-retry
  test.for(nonsense)('%s is not answered', async ([, fields]) => {
    const handler = vi.fn(() => ACCEPT);
    const { client, server } = await pair(
      asking(ask => input(ask, fields)),
      { onElicit: handler, onSample: handler as never },
    );
    expect(await failure(client.callTool('x'))).toBeInstanceOf(InvalidAnswer);
    expect(handler).not.toHaveBeenCalled();
    expect(server.of('tools/call')).toHaveLength(1);
    await expectUsable(client);
  });

  const undeclared: [string, object][] = [
    ['a form', FORM],
    [
      'a page',
      { method: 'elicitation/create', params: { mode: 'url', message: '', url: 'https://example.com' } },
    ],
    ['a model', { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }],
    ['the roots', { method: 'roots/list' }],
  ];
  test.for(undeclared)('for %s, which the client did not offer, is not answered', async ([, question]) => {
    const { client, server } = await pair(asking(ask => input(ask, { inputRequests: { a: question } })));
    expect(await failure(client.callTool('x'))).toBeInstanceOf(InvalidAnswer);
    expect(server.of('tools/call')).toHaveLength(1);
    await expectUsable(client);
  });

  test('where it must not is not answered', async () => {
    const { client } = await pair(
      modern({
        'tools/list': ask => input(ask, { requestState: 'x' }),
        'tools/call': ask => ask.text('fine'),
      }),
    );
    expect(await failure(client.tools())).toBeInstanceOf(InvalidAnswer);
    await expectUsable(client);
  });

  test('with forms that cannot be shown is told off', async () => {
    const onElicit = vi.fn(() => ACCEPT);
    const evil = [
      { $ref: 'http://127.0.0.1:1/schema' },
      { type: 'object', properties: { a: { $ref: 'file:///etc/passwd' } } },
      { type: 'nonsense' },
      { $schema: 'http://json-schema.org/draft-03/schema#' },
      17,
    ];
    const { client } = await pair(
      asking(ask => {
        const requestedSchema = evil[ask.message.params.arguments.n];
        input(ask, { inputRequests: { a: { ...FORM, params: { message: '', requestedSchema } } } });
      }),
      { onElicit },
    );
    for (const n of evil.keys()) expect(await failure(client.callTool('x', { n }))).toBeInstanceOf(McpError);
    expect(onElicit).not.toHaveBeenCalled();
    await expectUsable(client);
  });

  test('under names such as __proto__ gets its answers under them', async () => {
    const names = ['__proto__', 'constructor', 'toString', ''];
    const { client, server } = await pair(
      asking(ask => {
        if (ask.message.params.inputResponses) return ask.text('done');
        const questions = names.map(name => `${JSON.stringify(name)}:${JSON.stringify(FORM)}`);
        ask.json(
          `{"jsonrpc":"2.0","id":${ask.message.id},"result":{"resultType":"input_required","inputRequests":{${questions}}}}`,
        );
      }),
      { onElicit: () => ACCEPT },
    );
    await client.callTool('x');
    expect(Object.keys(server.of('tools/call')[1]!.message.params.inputResponses)).toEqual(names);
  });

  test('and whose caller loses interest does not wait for the user', async () => {
    const controller = new AbortController();
    const { client } = await pair(
      asking(ask => input(ask, { inputRequests: { n: FORM } })),
      {
        onElicit: () => {
          setImmediate(() => controller.abort(new Error('enough')));
          return new Promise(() => {});
        },
      },
    );
    expect(await failure(client.callTool('x', {}, { signal: controller.signal }))).toEqual(
      new Error('enough'),
    );
    await expectUsable(client);
  });

  test('and whose client closes does not wait for the user', async () => {
    const { client } = await pair(
      asking(ask => input(ask, { inputRequests: { n: FORM } })),
      {
        onElicit: () => {
          setImmediate(() => client.close());
          return new Promise(() => {});
        },
      },
    );
    expect((await failure(client.callTool('x'))).name).toBe('ConnectionError');
  });

  // covers: 2026-07-28/mrtr/inputs-before-retry
  test('gets no answer from a handler that fails', async () => {
    const { client, server } = await pair(
      asking(ask => input(ask, { inputRequests: { n: FORM } })),
      { onElicit: () => Promise.reject(new Error('no screen')) },
    );
    expect(await failure(client.callTool('x'))).toEqual(new Error('no screen'));
    expect(server.of('tools/call')).toHaveLength(1);
    await expectUsable(client);
  });
});

describe('a server of the handshake revisions that asks', () => {
  test('for a thousand things at once gets an answer to each, though most are refused', async () => {
    let most = 0;
    let open = 0;
    const answered: Ask[] = [];
    let allAnswered = () => {};
    const done = new Promise<void>(resolve => {
      allAnswered = resolve;
    });
    const { client } = await pair(
      legacy({
        'tools/call': ask => {
          if (ask.message.params.name === 'fine') return ask.text('fine');
          ask.stream();
          for (let id = 0; id < 1000; id++) ask.event({ jsonrpc: '2.0', id: `q-${id}`, ...FORM });
          ask.event(ask.textMessage('done'));
        },
        POST: ask => {
          ask.send(202);
          if (answered.push(ask) === 1000) allAnswered();
        },
      }),
      {
        onElicit: async () => {
          most = Math.max(most, ++open);
          await new Promise(setImmediate);
          open--;
          return ACCEPT;
        },
      },
    );
    await client.callTool('x');
    expect(most).toBeLessThanOrEqual(100);
    await expectUsable(client);
    await done;
    expect(new Set(answered.map(({ message }) => message.id)).size).toBe(1000);
    expect(answered.filter(({ message }) => message.result).length).toBeGreaterThanOrEqual(100);
  });

  test('for a hundred things is still answered when it pings', async () => {
    let pinged: (ask: Ask) => void = () => {};
    const pong = new Promise<Ask>(resolve => {
      pinged = resolve;
    });
    let shown = 0;
    let call: Ask | undefined;
    const { client } = await pair(
      legacy({
        'tools/call': ask => {
          call = ask.stream();
          for (let id = 0; id < 100; id++) call.event({ jsonrpc: '2.0', id: `q-${id}`, ...FORM });
        },
        POST: ask => {
          ask.send(202);
          if (ask.message.id === 'ping') pinged(ask);
        },
      }),
      {
        onElicit: () => {
          if (++shown === 100) call!.event({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
          return new Promise(() => {});
        },
      },
    );
    const running = client.callTool('x');
    expect((await pong).message.result).toEqual({});
    call!.event(call!.textMessage('done'));
    await running;
  });

  test('for nonsense gets errors', async () => {
    const questions = [
      { method: 'user/obey' },
      { method: 'elicitation/create' },
      { method: 'sampling/createMessage', params: {} },
      { method: 'roots/list' },
      { method: 'tools/call', params: {} },
    ];
    const replies: any[] = [];
    const { client } = await pair(
      legacy({
        'tools/call': ask => {
          if (ask.message.params.name === 'fine') return ask.text('fine');
          ask.stream();
          questions.forEach((question, id) => void ask.event({ jsonrpc: '2.0', id, ...question }));
          done = () => ask.event(ask.textMessage('done'));
        },
        POST: ask => {
          replies.push(ask.message);
          ask.send(202);
          if (replies.length === questions.length) done();
        },
      }),
      { onElicit: () => ACCEPT },
    );
    let done = () => {};
    await client.callTool('x');
    expect(replies.map(reply => [reply.id, typeof reply.error.code])).toEqual(
      expect.arrayContaining(questions.map((_, id) => [id, 'number'])),
    );
    await expectUsable(client);
  });
});

test('a modern server that sends requests is not answered without bound, and the author is told once', async () => {
  const warnings: string[] = [];
  const { client, server } = await pair(
    asking(ask => {
      ask.stream();
      for (let id = 0; id < 1000; id++) ask.event({ jsonrpc: '2.0', id, method: 'ping' });
      ask.event(ask.textMessage('done'));
    }),
    { onWarning: text => warnings.push(text) },
  );
  expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
  expect(warnings).toHaveLength(1);
  expect(server.asks.length).toBeLessThan(200);
});

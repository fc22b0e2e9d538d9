import { describe, expect, test } from 'vitest';
import { ConnectionError, HttpError, InvalidAnswer, RequestTimeout } from '../../src/node/client/index.js';
import { McpError } from '../../src/server/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { expectUsable, failure, pair } from './connected.js';
import { type Answer, type Ask, ERAS } from './raw-server.js';

failOnUnhandled();

/** Answers the tool `fine` as it should be, and all others as the test says. */
function tools(answer: Answer): Record<string, Answer> {
  return {
    'tools/call': ask => (ask.message.params.name === 'fine' ? ask.text('fine') : answer(ask)),
  };
}

describe.for(ERAS)('a $era server', ({ era, serve }) => {
  const wrong: [string, Answer, new (...args: never[]) => Error][] = [
    ['neither result nor error', ask => ask.json({ jsonrpc: '2.0', id: ask.message.id }), InvalidAnswer],
    [
      'a result that is no object',
      ask => ask.json({ jsonrpc: '2.0', id: ask.message.id, result: [1] }),
      InvalidAnswer,
    ],
    [
      'a result and an error',
      ask => ask.json({ ...ask.textMessage('x'), error: { code: 1, message: '' } }),
      InvalidAnswer,
    ],
    [
      'an error without code',
      ask => ask.json({ jsonrpc: '2.0', id: ask.message.id, error: {} }),
      InvalidAnswer,
    ],
    ['an unknown id', ask => ask.json({ ...ask.textMessage('x'), id: 'who?' }), InvalidAnswer],
    [
      'the id as a string',
      ask => ask.json({ ...ask.textMessage('x'), id: String(ask.message.id) }),
      InvalidAnswer,
    ],
    ['no id', ask => ask.json({ ...ask.textMessage('x'), id: undefined }), InvalidAnswer],
    [
      'another version of JSON-RPC',
      ask => ask.json({ ...ask.textMessage('x'), jsonrpc: '1.0' }),
      InvalidAnswer,
    ],
    ['a number', ask => ask.json('1'), InvalidAnswer],
    ['null', ask => ask.json('null'), InvalidAnswer],
    ['an empty list', ask => ask.json('[]'), InvalidAnswer],
    ['half a message', ask => ask.json('{"jsonrpc":"2.0",'), InvalidAnswer],
    ['nothing', ask => ask.json(''), InvalidAnswer],
    ['a request', ask => ask.json({ jsonrpc: '2.0', id: ask.message.id, method: 'ping' }), InvalidAnswer],
    ['brackets without end', ask => ask.json('['.repeat(100_000)), InvalidAnswer],
    ['a result without content', ask => ask.result({}), InvalidAnswer],
    ['content that is no list', ask => ask.result({ content: 'x' }), InvalidAnswer],
    ['202', ask => ask.send(202), InvalidAnswer],
    ['204', ask => ask.send(204), InvalidAnswer],
    ['200 and nothing', ask => ask.send(200), InvalidAnswer],
    ['HTML', ask => ask.send(200, '<html>', { 'content-type': 'text/html' }), InvalidAnswer],
    [
      'JSON that is called text',
      ask => ask.send(200, JSON.stringify(ask.textMessage('x')), { 'content-type': 'text/plain' }),
      InvalidAnswer,
    ],
    ['a bad gateway', ask => ask.send(502, '<html>', { 'content-type': 'text/html' }), HttpError],
    ['503 with a JSON-RPC error', ask => ask.error(-32603, 'overloaded', { status: 503 }), HttpError],
    ['401', ask => ask.send(401, '', { 'www-authenticate': 'Bearer' }), HttpError],
    [
      'a switch of protocols',
      ask =>
        ask.response.socket!.end(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        ),
      ConnectionError,
    ],
    ['no HTTP', ask => ask.response.socket!.end('220 mail.example ESMTP\r\n'), ConnectionError],
    ['an error', ask => ask.error(-32603, 'no'), McpError],
    ['an error with status 400', ask => ask.error(-32602, 'no', { status: 400 }), McpError],
    ['a stream without a result', ask => ask.stream().response.end(), ConnectionError],
    ['a stream that breaks off', ask => ask.stream().response.destroy(), ConnectionError],
    [
      'a stream with half an event',
      ask => ask.stream().response.end(`data: ${JSON.stringify(ask.textMessage('x'))}\n`),
      ConnectionError,
    ],
    ['a stream with half a message', ask => ask.stream().event('{"jsonrpc":'), InvalidAnswer],
    ['a stream with brackets without end', ask => ask.stream().event('['.repeat(100_000)), InvalidAnswer],
    [
      'a stream with a malformed answer',
      ask => ask.stream().event({ jsonrpc: '2.0', id: ask.message.id }, 'e-1'),
      InvalidAnswer,
    ],
    [
      'a stream with the answer to another',
      ask =>
        ask
          .stream()
          .event({ ...ask.textMessage('x'), id: -1 })
          .response.end(),
      ConnectionError,
    ],
  ];

  // covers: 2026-07-28/basic/messages-are-json-rpc, 2026-07-28/tools/client-validates-results
  test.for(wrong)('that answers with %s fails the call at once and is used on', async ([, answer, kind]) => {
    const { client } = await pair(serve(tools(answer)));
    const error = await failure(client.callTool('odd'));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).not.toBe('');
    await expectUsable(client);
  });

  const right: [string, Answer][] = [
    ['a byte order mark', ask => ask.json(`\ufeff${JSON.stringify(ask.textMessage('right'))}`)],
    [
      'a charset',
      ask =>
        ask.result(
          { content: [{ type: 'text', text: 'right' }] },
          { 'content-type': 'Application/JSON; charset=UTF-8' },
        ),
    ],
    ['the answer twice in a list', ask => ask.json([ask.textMessage('right'), ask.textMessage('wrong')])],
    [
      'the answer twice',
      ask => ask.stream().event(ask.textMessage('right')).event(ask.textMessage('wrong')).response.end(),
    ],
    [
      'an answer nobody waits for first',
      ask =>
        ask
          .stream()
          .event({ ...ask.textMessage('wrong'), id: 'x' })
          .event(ask.textMessage('right')),
    ],
    [
      'an error without an id first',
      ask =>
        ask
          .stream()
          .event({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'wrong' } })
          .event(ask.textMessage('right')),
    ],
    [
      'words among the events',
      ask =>
        ask.stream().event('hello').event('').event('"text"').event('17').event(ask.textMessage('right')),
    ],
    ['a stream that stays open', ask => ask.stream().event(ask.textMessage('right'))],
    [
      'carriage returns',
      ask => ask.stream().response.write(`data:${JSON.stringify(ask.textMessage('right'))}\r\r`),
    ],
    [
      'the answer over many lines',
      ask =>
        ask
          .stream()
          .response.write(
            JSON.stringify(ask.textMessage('right'), null, 1).replace(/^/gm, 'data: ').concat('\n\n'),
          ),
    ],
    [
      'fields that nobody knows',
      ask =>
        ask
          .stream()
          .response.write(
            `foo: bar\nretry: soon\nevent: message\ndata: ${JSON.stringify(ask.textMessage('right'))}\n\n`,
          ),
    ],
    ['notifications nobody asked for', ask => flood(ask, 10).event(ask.textMessage('right'))],
  ];

  // covers: 2025-11-25/elicitation/unknown-completion-is-ignored
  // covers: 2026-07-28/basic/missing-result-type-is-complete
  // covers: 2026-07-28/streamable-http/client-reads-json-and-events
  test.for(right)('that answers with %s is understood', async ([, answer]) => {
    const { client } = await pair(serve(tools(answer)));
    expect(await client.callTool('odd')).toMatchObject({ content: [{ text: 'right' }] });
    await expectUsable(client);
  });

  if (era === 'modern')
    // covers: 2026-07-28/basic/unknown-result-type-is-invalid
    test('that answers with an unknown type of result is not believed', async () => {
      const { client } = await pair(serve(tools(ask => ask.result({ resultType: 'task', content: [] }))));
      const error = await failure(client.callTool('odd'));
      expect(error).toBeInstanceOf(InvalidAnswer);
      expect(error.message).toContain('"task"');
      await expectUsable(client);
    });

  // covers: 2026-07-28/cancellation/requests-have-timeouts, 2026-07-28/cancellation/timeout-cancels
  // covers: 2026-07-28/cancellation/timeout-of-each-request, 2026-07-28/tools/client-has-timeouts
  test.for([
    ['says nothing', () => {}],
    ['sends half of its head', ask => ask.response.socket!.write('HTTP/1.1 200 OK\r\ncontent-ty')],
    [
      'sends a head and nothing more',
      ask => ask.response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
    ],
    [
      'sends half of its answer',
      ask =>
        ask.response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
          .write('{'),
    ],
    ['opens a stream and says nothing', ask => ask.stream()],
    ['keeps its stream alive and says nothing', ask => ask.stream().response.write(':\n\n'.repeat(10))],
    ['tells of progress that was not asked for', ask => flood(ask, 100)],
    [
      'refuses with a body that has no end',
      ask => ask.response.writeHead(500, { 'content-type': 'text/plain' }).write('x'),
    ],
  ] as [string, Answer][])('that %s is given up at the time limit', async ([, answer]) => {
    const { client, server } = await pair(serve(tools(answer)));
    const error = await failure(client.callTool('odd', {}, { timeoutMs: 300 }));
    expect(error).toBeInstanceOf(RequestTimeout);
    await server.of('tools/call')[0]!.gone;
    await expectUsable(client);
  });

  test('that stops before any byte of an event is given up at the time limit', async () => {
    const stop = (ask: Ask) => {
      const event = Buffer.from(`id: 1\nevent: message\ndata: ${JSON.stringify(ask.textMessage('ß☃𝄞'))}\n\n`);
      ask.stream().response.write(event.subarray(0, event.length - ask.message.params.arguments.missing));
    };
    const { client } = await pair(serve(tools(stop)));
    const missing = Array.from({ length: 150 }, (_, n) => n + 1);
    const ends = await Promise.all(
      missing.map(n => failure(client.callTool('x', { missing: n }, { timeoutMs: 100 }))),
    );
    for (const end of ends) expect(end).toBeInstanceOf(RequestTimeout);
    expect(await client.callTool('x', { missing: 0 })).toMatchObject({ content: [{ text: 'ß☃𝄞' }] });
    await expectUsable(client);
  });

  // covers: 2026-07-28/cancellation/client-cancels
  test('that is silent is left when the caller loses interest', async () => {
    const { client, server } = await pair(serve(tools(ask => asked(ask))));
    const controller = new AbortController();
    const asked = (_: Ask) => controller.abort(new Error('enough'));
    expect(await failure(client.callTool('odd', {}, { signal: controller.signal }))).toEqual(
      new Error('enough'),
    );
    await server.of('tools/call')[0]!.gone;
    await expectUsable(client);
  });

  test('that floods with progress and logs does not stop a call', async () => {
    const { client } = await pair(
      serve(
        tools(async ask => {
          ask.stream();
          const progressToken = ask.message.params._meta.progressToken;
          const progress = notification('progress', { progressToken, progress: 1 });
          const log = notification('message', { level: 'error', data: 'x' });
          for (let sent = 0; sent < 1000; sent++) await ask.write((progress + log).repeat(100));
          ask.event(ask.textMessage('done'));
        }),
      ),
      { onLog: () => logs++ },
    );
    let logs = 0;
    let told = 0;
    const result = await client.callTool('odd', {}, { onProgress: () => told++ });
    expect(result).toMatchObject({ content: [{ text: 'done' }] });
    expect([told, logs]).toEqual([100_000, 100_000]);
    await expectUsable(client);
  });

  // covers: 2026-07-28/cancellation/maximum-timeout
  test('that tells of progress without end is given up at the last limit', async () => {
    const { client } = await pair(
      serve(
        tools(async ask => {
          ask.stream();
          const { progressToken } = ask.message.params._meta;
          while (await ask.write(notification('progress', { progressToken, progress: 1 }))) {
            await new Promise(resolve => setTimeout(resolve, 5));
          }
        }),
      ),
    );
    let told = 0;
    const limits = { timeoutMs: 500, maxTimeoutMs: 1500, onProgress: () => told++ };
    const error = await failure(client.callTool('odd', {}, limits));
    expect(error).toBeInstanceOf(RequestTimeout);
    expect(error.message).toContain('1500 ms');
    expect(told).toBeGreaterThan(10);
    await expectUsable(client);
  });
});

function notification(method: string, params: object): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })}\n\n`;
}

/** Things that a client did not ask for. */
function flood(ask: Ask, times: number): Ask {
  ask.stream();
  const odd = [
    notification('progress', { progressToken: 'nobody', progress: 1 }),
    notification('progress', { progressToken: ask.message.id, progress: 'much' }),
    notification('message', { level: 'info', data: null }),
    notification('message', {}),
    notification('tools/list_changed', {}),
    notification('resources/updated', {}),
    notification('resources/updated', { uri: 'a:b' }),
    notification('subscriptions/acknowledged', {}),
    notification('cancelled', { requestId: ask.message.id }),
    notification('elicitation/complete', { elicitationId: 1 }),
    notification('__proto__', {}),
    `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'elicitation/create', params: {} })}\n\n`,
    `data: ${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n\n`,
  ];
  ask.response.write(odd.join('').repeat(times));
  return ask;
}

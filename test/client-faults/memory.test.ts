import { constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClientChild } from './client-child.js';
import { serveRaw } from './connected.js';
import { type Answer, type Ask, modern } from './raw-server.js';

const MiB = 1024 * 1024;
/** How much is sent where there should be no end. */
const ENDLESS = 400 * MiB;
/** The most that the client may have, all told: its objects are limited, but its buffers are not. */
const BOUND = 384 * MiB;

let child: ClientChild;
beforeAll(async () => {
  child = await ClientChild.start(150);
});
afterAll(() => child.kill());

/** Has the client do a call that is answered in an unbounded way, and one that is answered as it should be. */
async function call(answer: Answer, options?: Parameters<ClientChild['run']>[2]): Promise<string> {
  const server = await serveRaw(
    modern({
      'tools/call': ask => (ask.message.params.name === 'fine' ? ask.text('fine') : answer(ask)),
    }),
  );
  const { ends, peak } = await child.run(
    server.url,
    [
      ['callTool', 'odd'],
      ['callTool', 'fine'],
    ],
    options,
  );
  expect(ends[1]).toBe('result');
  expect(peak).toBeLessThan(BOUND);
  return ends[0]!;
}

/** Sends the same again and again after a beginning, until it is enough or the client hangs up. */
async function repeat(ask: Ask, unit: string, beginning = ''): Promise<void> {
  ask.response.write(beginning);
  const chunk = Buffer.from(unit.repeat(Math.ceil(MiB / unit.length)));
  for (let sent = 0; sent < ENDLESS; sent += chunk.length) if (!(await ask.write(chunk))) return;
  ask.response.end();
}

async function packed(
  ask: Ask,
  type: string,
  pack: Gzip | ReturnType<typeof createBrotliCompress>,
): Promise<void> {
  const encoding = pack.constructor.name === 'Gzip' ? 'gzip' : 'br';
  ask.response.writeHead(200, { 'content-type': type, 'content-encoding': encoding });
  pack.pipe(ask.response);
  const chunk = Buffer.alloc(MiB, type === 'application/json' ? ' ' : 'x');
  for (let sent = 0; sent < ENDLESS && !ask.response.destroyed; sent += MiB) {
    await new Promise(resolve => pack.write(chunk, resolve));
  }
  pack.destroy();
  ask.response.destroy();
}

describe.for(['node:http', 'fetch'])('over %s', sender => {
  const options = { useFetch: sender === 'fetch', timeoutMs: 30_000 };

  const endless: [string, Answer][] = [
    ['a line', ask => repeat(ask.stream(), 'x')],
    ['an event', ask => repeat(ask.stream(), '{"a":', 'data: ')],
    ['an event of many lines', ask => repeat(ask.stream(), 'data: x\n')],
    ['an event of lines and comments', ask => repeat(ask.stream(), 'data: x\n:\n')],
    ['an event of lines with every line end', ask => repeat(ask.stream(), 'data: x\rdata: y\r\n')],
    ['the id of an event', ask => repeat(ask.stream(), '☃', 'id: ')],
    ['the name of an event', ask => repeat(ask.stream(), 'x', 'event: ')],
    ['a comment', ask => repeat(ask.stream(), 'x', ':')],
    ['a body', ask => repeat(ask.stream({ 'content-type': 'application/json' }), ' ')],
  ];
  test.for(endless)('%s without end is refused and not kept', async ([, answer]) => {
    expect(await call(answer, options)).toBe('InvalidAnswer');
  });

  test('a refusal without end is cut off', async () => {
    const refuse: Answer = ask => {
      ask.response.writeHead(500);
      return repeat(ask, 'x');
    };
    expect(await call(refuse, options)).toBe('HttpError');
  });

  test.for([
    ['gzip', () => createGzip()],
    ['brotli', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('what unfolds without end is refused: %s', async ([, pack]) => {
    expect(await call(ask => packed(ask, 'application/json', pack()), options)).toBe('InvalidAnswer');
    expect(await call(ask => packed(ask, 'text/event-stream', pack()), options)).toBe('InvalidAnswer');
  });

  test('events without end are read, and none is kept', async () => {
    const log = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(5000) } })}\n\n`;
    const answer: Answer = async ask => {
      ask.stream();
      for (let sent = 0; sent < 50 * MiB; sent += log.length * 100) await ask.write(log.repeat(100));
      ask.event(ask.textMessage('done'));
    };
    expect(await call(answer, options)).toBe('result');
  });

  test('comments that keep a stream alive are no event, however many', async () => {
    const answer: Answer = async ask => {
      ask.stream();
      for (let sent = 0; sent < 20; sent++) await ask.write(':\n\n'.repeat(MiB / 3));
      ask.event(ask.textMessage('done'));
    };
    expect(await call(answer, options)).toBe('result');
  });

  test.for([
    ['a body', 'application/json'],
    ['an event', 'text/event-stream'],
  ] as const)('%s in chunks of one byte takes about as much memory as its length', async ([, type]) => {
    const answer: Answer = ask => {
      const json = JSON.stringify(ask.textMessage('x'.repeat(MiB / 2)));
      const body = Buffer.from(type === 'application/json' ? json : `data: ${json}\n\n`);
      const chunks = Buffer.from('1\r\n?\r\n'.repeat(body.length));
      for (const [at, byte] of body.entries()) chunks[at * 6 + 3] = byte;
      const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`;
      ask.response.socket!.write(head);
      ask.response.socket!.write(chunks);
      ask.response.socket!.end('0\r\n\r\n');
    };
    expect(await call(answer, options)).toBe('result');
  });
});

test('lists without end, results that are kept, and notices are not kept without bound', async () => {
  let page = 0;
  const large = 'x'.repeat(8 * MiB);
  const server = await serveRaw(
    modern({
      'tools/list': ask =>
        ask.result({
          tools: [{ name: `t-${++page}`, description: large, outputSchema: {} }],
          nextCursor: `${page}`,
          ttlMs: 1e6,
        }),
      'resources/read': ask =>
        ask.result({ contents: [{ uri: ask.message.params.uri, text: large }], ttlMs: 1e6 }),
      'tools/call': async ask => {
        ask.stream();
        for (let n = 0; n < 10; n++) {
          const params = { uri: `a:${n}/${large}` };
          await ask.write(
            `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params })}\n\n`,
          );
        }
        ask.event(ask.textMessage('told'));
      },
    }),
  );
  const reads = Array.from({ length: 20 }, (_, n) => ['readResource', `a:${n}`] as ['readResource', string]);
  const { ends, peak } = await child.run(server.url, [['tools'], ...reads, ['callTool', 'tell']]);
  expect(ends[0]).toBe('InvalidAnswer');
  expect(ends.slice(1)).toEqual(Array(21).fill('result'));
  expect(peak).toBeLessThan(BOUND);
});

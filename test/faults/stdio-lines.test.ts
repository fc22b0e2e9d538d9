import { beforeAll, describe, expect, test } from 'vitest';
import { ENVELOPE, INITIALIZE, LEGACY, MODERN } from './messages.js';
import { memoryOf, StdioChild } from './stdio-child.js';

const MiB = 1024 * 1024;
const LIMIT = 4 * MiB;
const PARSE_ERROR = { jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } };

function echo(id: number | string, value: unknown): string {
  const params = { name: 'echo', arguments: { value }, _meta: ENVELOPE };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
}

describe('a line', () => {
  let child: StdioChild;
  let lastId = 0;
  beforeAll(() => {
    child = new StdioChild();
    return () => child.kill();
  });

  /** Writes something, then a good request, and returns what came back before its answer. */
  async function answersTo(...bytes: (string | Uint8Array)[]): Promise<any[]> {
    const known = child.messages.length;
    for (const piece of bytes) await child.deliver(piece);
    const id = `end ${++lastId}`;
    child.write(`\n${echo(id, 'still here')}\n`);
    expect(await child.textOf(id)).toBe('"still here"');
    return child.messages.slice(known).filter(message => message.id !== id);
  }

  test.for([
    ['256 MiB', 256],
    ['1 GiB', 1024],
  ] as const)('of %s is refused once, and takes no memory', async ([, mebibytes]) => {
    await answersTo('');
    const before = memoryOf(child.pid).peak;
    const chunk = Buffer.alloc(MiB, 'x');
    expect(await answersTo(...Array.from({ length: mebibytes }, () => chunk))).toEqual([PARSE_ERROR]);
    expect(memoryOf(child.pid).peak - before).toBeLessThan(96 * MiB);
  });

  test('of exactly the limit is read, and one byte more is not', async () => {
    const padded = (id: number, bytes: number) => `${echo(id, 1).padEnd(bytes)}\n`;
    const answers = await answersTo(padded(1, LIMIT), padded(2, LIMIT + 1), padded(3, LIMIT));
    expect(answers).toHaveLength(3);
    expect(answers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 1 }),
        PARSE_ERROR,
        expect.objectContaining({ id: 3 }),
      ]),
    );
  });

  // covers: 2026-07-28/transports/messages-are-utf-8
  test('may be split at any byte', async () => {
    const line = Buffer.from(`${echo('é', 'añ€😀')}\n`);
    for (const byte of line)
      await new Promise(resolve => child.process.stdin!.write(Buffer.of(byte), resolve));
    expect(JSON.parse(await child.textOf('é'))).toBe('añ€😀');
  });

  test('may be one of many in a chunk', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `many ${n}`);
    const answers = await answersTo(ids.map(id => `${echo(id, id)}\n`).join(''));
    expect(answers).toHaveLength(1000);
    for (const { id, result } of answers) expect(JSON.parse(result.content[0].text)).toBe(id);
  });

  test('may end with CR LF, and be blank', async () => {
    const answers = await answersTo(`\r\n\n\n  \n\t\r\n${echo(11, 1)}\r\n\r\n   \r\n\n${echo(12, 2)}\r\n`);
    expect(answers.map(({ id }) => id)).toEqual([11, 12]);
  });

  test.for([
    ['words', 'hello'],
    ['half a message', '{"jsonrpc":"2.0","id":1,'],
    ['two messages', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}'],
    ['NUL', '\0\0\0'],
    ['HTTP', 'POST /mcp HTTP/1.1\r'],
    ['an LSP header', 'Content-Length: 17\r'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['a cut off character', Buffer.from([0x22, 0xc3])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ] as const)('of %s is answered with -32700, and the next one is read', async ([, garbage]) => {
    expect(await answersTo(garbage)).toEqual([PARSE_ERROR]);
  });

  test.for([
    ['a million brackets', '['.repeat(1_000_000)],
    ['too many levels', `${'['.repeat(257)}${']'.repeat(257)}${' '.repeat(300)}`],
  ] as const)('of %s is refused', async ([, deep]) => {
    expect(await answersTo(deep)).toEqual([
      { jsonrpc: '2.0', error: { code: -32600, message: expect.stringContaining('256') } },
    ]);
  });

  test('may be the last one, without an end', async () => {
    const last = StdioChild.forTest();
    last.process.stdin!.end(echo(1, 'last'));
    expect(await last.textOf(1)).toBe('"last"');
    expect(await last.exit).toBe(0);
  });
});

describe('a message', () => {
  test('that is malformed is answered with its id if it is a request and has one', async () => {
    const child = StdioChild.forTest();
    for (const message of [7, 'text', { jsonrpc: '2.0' }, { jsonrpc: '1.0', id: 3, method: 'x' }]) {
      child.write(`${JSON.stringify(message)}\n`);
    }
    child.write(`${JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'ping', params: [] })}\n`);
    child.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1.5, method: 'ping' })}\n`);
    child.send({ id: 'end', method: 'ping' });
    await child.answer('end');
    expect(child.messages.slice(0, -1).map(({ id, error }) => [id, error.code])).toEqual([
      [undefined, -32600],
      [undefined, -32600],
      [undefined, -32600],
      [3, -32600],
      [4, -32602],
      [undefined, -32600],
    ]);
  });

  test('that is a response is never answered with its id, and an error without one not at all', async () => {
    const child = StdioChild.forTest();
    child.send({ id: 5, result: 7 });
    child.send({ id: 5, error: {} });
    child.send({ id: 5, result: {} });
    child.send({ id: 5, error: { code: 1, message: 'no' } });
    // What this server itself sends about garbage; two that answer each other would never stop.
    child.send({ error: { code: -32700, message: 'parse error' } });
    child.send({ id: null, error: { code: -32700, message: 'parse error' } });
    child.send({ id: 'end', method: 'ping' });
    await child.answer('end');
    expect(child.messages.slice(0, -1)).toEqual([
      { jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } },
    ]);
  });

  test('that is a malformed answer ends the call that waits for it', async () => {
    const child = StdioChild.forTest();
    child.send({ id: 0, method: 'initialize', params: { ...INITIALIZE, capabilities: { roots: {} } } });
    await child.answer(0);
    child.send({ method: 'notifications/initialized' });
    child.send({ id: 1, method: 'tools/call', params: { name: 'look' } });
    const { id } = await child.find(({ method }) => method === 'roots/list');
    child.send({ id, result: null });
    const message = "the client's answer to roots/list is malformed: result must be an object";
    const { result } = await child.answer(1);
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(message) }] });
  });

  test('before initialize is refused, except for ping and modern ones', async () => {
    const child = StdioChild.forTest();
    child.send({ id: 1, method: 'tools/list' });
    child.send({ method: 'notifications/initialized' });
    child.send({ id: 2, method: 'ping' });
    child.write(`${echo(3, 'modern')}\n`);
    expect(await child.textOf(3)).toBe('"modern"');
    expect(child.messages[0]).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(child.messages[1]).toEqual({ jsonrpc: '2.0', id: 2, result: {} });
  });

  test('after initialize in the same chunk belongs to the session, and is answered after the handshake', async () => {
    const child = StdioChild.forTest();
    const messages = [
      { id: 0, method: 'initialize', params: { ...INITIALIZE, capabilities: { roots: {} } } },
      { method: 'notifications/initialized' },
      { id: 1, method: 'tools/list' },
      { id: 2, method: 'tools/call', params: { name: 'look' } },
    ];
    child.write(messages.map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
    const question = await child.find(({ method }) => method === 'roots/list');
    child.send({ id: question.id, result: { roots: [] } });
    expect((await child.answer(2)).result.isError).toBeUndefined();
    expect((await child.answer(1)).result.tools).not.toEqual([]);
    expect(child.messages[0]).toMatchObject({ id: 0, result: { protocolVersion: LEGACY } });
  });

  test('may be a second initialize, which is refused and changes nothing', async () => {
    const child = StdioChild.forTest();
    await child.initialize('2025-06-18');
    child.send({
      id: 2,
      method: 'initialize',
      params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: {} },
    });
    child.send({ id: 3, method: 'tools/list' });
    expect((await child.answer(3)).result.tools.length).toBeGreaterThan(0);
    expect(await child.answer(2)).toMatchObject({ error: { code: -32600 } });
  });

  test('of the modern era may come between those of a session', async () => {
    const child = StdioChild.forTest();
    await child.initialize();
    child.send({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: 'legacy' } } });
    child.write(`${echo(2, 'modern')}\n`);
    child.send({ id: 3, method: 'tools/call', params: { name: 'echo', arguments: { value: 'legacy' } } });
    child.ask(4, 'server/discover');
    expect((await child.answer(1)).result).not.toHaveProperty('resultType');
    expect((await child.answer(2)).result).toHaveProperty('resultType', 'complete');
    expect((await child.answer(3)).result).not.toHaveProperty('resultType');
    expect((await child.answer(4)).result.supportedVersions).toContain(MODERN);
  });

  test('with the id of another that is under way gets its own answer', async () => {
    const child = StdioChild.forTest();
    await child.initialize();
    child.send({ id: 1, method: 'tools/call', params: { name: 'slow' } });
    await child.find(({ method }) => method === 'notifications/message');
    for (let n = 0; n < 11; n++) {
      child.send({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: n } } });
    }
    child.call('r', 'release');
    const answers = () => child.messages.filter(({ id }) => id === 1);
    await child.until(() => answers().length === 12);
    const texts = answers().map(({ result }) => result.content[0].text);
    expect(texts.sort()).toEqual(
      ['slow but sure', ...Array.from({ length: 11 }, (_, n) => String(n))].sort(),
    );
  });

  test.for(['2024-11-05', '2025-03-26', '2025-06-18'])(
    'without a readable id gets no answer at %s, which has none for it, and the operator is told once',
    async revision => {
      const child = StdioChild.forTest();
      await child.initialize(revision);
      const known = child.messages.length;
      for (const line of ['hello', '7', '{"jsonrpc":"2.0"}', '[]']) child.write(`${line}\n`);
      child.send({ id: 'end', method: 'ping' });
      await child.answer('end');
      expect(child.messages.slice(known)).toEqual([{ jsonrpc: '2.0', id: 'end', result: {} }]);
      const warning = `warning about connection: a message has no readable id, so ${revision} has no answer to it`;
      await child.until(() => child.errors.includes(warning));
      expect(child.errors.split(warning)).toHaveLength(2);
    },
  );

  test('in a batch is answered on 2025-03-26, and refused elsewhere', async () => {
    const batch = `${JSON.stringify([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/x' },
      7,
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: { value: 2 } } },
    ])}\n`;
    const old = StdioChild.forTest();
    await old.initialize('2025-03-26');
    // 2025-03-26 has no error without an id, so nothing answers a value that is no message.
    old.write(`[7]\n${batch}`);
    const answers = await old.find(Array.isArray);
    expect(answers.map(({ id }: { id?: unknown }) => id)).toEqual([1, 2]);
    await old.until(() => old.errors.includes('a message in a batch has no readable id'));

    for (const revision of ['2025-11-25', undefined]) {
      const child = StdioChild.forTest();
      if (revision) await child.initialize(revision);
      child.write(batch);
      await child.find(({ error, id }) => error && id === 2);
      const error = { code: -32600, message: expect.any(String) };
      expect(child.messages.filter(message => message.error)).toEqual([
        { jsonrpc: '2.0', id: 1, error },
        { jsonrpc: '2.0', id: 2, error },
      ]);
      child.write(`${echo(9, 9)}\n`);
      expect(await child.textOf(9)).toBe('9');
    }
  });
});

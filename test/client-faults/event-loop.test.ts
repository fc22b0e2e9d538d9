import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClientChild } from './client-child.js';
import { serveRaw } from './connected.js';
import { type Answer, modern } from './raw-server.js';

/** What a server may send at once without much ado. */
const SIZE = 4 * 1024 * 1024;
/**
 * Milliseconds of work in one turn. Most takes a tenth of that; what is quadratic would take minutes. The
 * slowest is what the parser of the runtime itself takes for hundreds of thousands of names.
 */
const LIMIT = 1000;

let child: ClientChild;
beforeAll(async () => {
  child = await ClientChild.start(500);
});
afterAll(() => child.kill());

/** Has the client take a step, and returns how it ended, if that did not block it for long. */
async function take(
  step: Parameters<ClientChild['run']>[1][number],
  answers: Record<string, Answer>,
): Promise<string> {
  const server = await serveRaw(modern(answers));
  const { ends, blocked } = await child.run(server.url, [step]);
  if (process.env.MEASURE) console.log(`${blocked.toFixed(0)} ms`, ends[0]);
  expect(blocked).toBeLessThan(LIMIT);
  return ends[0]!;
}

/** As much of something as goes between a beginning and an end. */
function fill(unit: string | ((n: number) => string), head: string, tail: string, separator = ','): string {
  const units: string[] = [];
  let left = SIZE - head.length - tail.length - 100;
  for (let n = 0; left > 0; n++) {
    units.push(typeof unit === 'string' ? unit : unit(n));
    left -= units[n]!.length + separator.length;
  }
  return head + units.slice(0, -1).join(separator) + tail;
}

const scrambled = (n: number) => ((n * 2654435761) >>> 0).toString(36);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('4 MiB of JSON', () => {
  const values: [string, string, string][] = [
    ['one string', `"${'x'.repeat(SIZE)}"`, 'result'],
    ['escapes', `"${'\\u0041'.repeat(SIZE / 6)}"`, 'result'],
    ['numbers', fill('0', '[', ']'), 'result'],
    ['long numbers', fill('1.7976931348623157e-300', '[', ']'), 'result'],
    ['short strings', fill(n => `"${n.toString(36)}"`, '[', ']'), 'result'],
    ['names', fill(n => `"${scrambled(n)}":0`, '{', '}'), 'result'],
    ['the same name', fill('"a":0', '{', '}'), 'result'],
    ['names that are numbers', fill(n => `"${n * 1000}":0`, '{', '}'), 'result'],
    ['rows', fill(n => `{"id":${n},"name":"row ${n}","isFull":true}`, '[', ']'), 'result'],
    ['empty objects', fill('{}', '[', ']'), 'InvalidAnswer'],
    ['empty arrays', fill('[]', '[', ']'), 'InvalidAnswer'],
    ['objects with names of their own', fill(n => `{"k${n}":0}`, '[', ']'), 'InvalidAnswer'],
    ['prototypes', fill('{"__proto__":{}}', '[', ']'), 'InvalidAnswer'],
    ['deep things', fill(nested(200), '[', ']'), 'InvalidAnswer'],
    ['brackets', '['.repeat(SIZE), 'InvalidAnswer'],
  ];
  test.for(values)('of %s does not block the client', async ([, value, expected]) => {
    const answer: Answer = ask =>
      ask.json(
        `{"jsonrpc":"2.0","id":${ask.message.id},"result":{"content":[],"structuredContent":${value}}}`,
      );
    expect(await take(['callTool', 'x'], { 'tools/call': answer })).toBe(expected);
  });

  const bodies: [string, string][] = [
    ['notifications', fill('{"jsonrpc":"2.0","method":"a"}', '[', ']')],
    ['numbers', fill('1', '[', ']')],
    ['objects', fill('{}', '[', ']')],
    ['answers that are none', fill('{"id":1}', '[', ']')],
    ['numbers without an end', fill('1', '[', '')],
    ['white space', ' '.repeat(SIZE)],
  ];
  test.for(bodies)(
    'that is a list of %s instead of an answer does not block the client',
    async ([, body]) => {
      expect(await take(['callTool', 'x'], { 'tools/call': ask => ask.json(body) })).toBe('InvalidAnswer');
    },
  );
});

describe('a list with 4 MiB of tools', () => {
  const string = '"type":"string"';
  const lists: [string, string][] = [
    ['small ones', fill(n => `{"name":"${n}","inputSchema":{"type":"object"}}`, '[', ']')],
    ['no tools', fill('0', '[', ']')],
    ['invalid headers', fill(n => `{"name":"${n}","inputSchema":{"x-mcp-header":1}}`, '[', ']')],
    [
      'a header each',
      fill(
        n => `{"name":"${n}","inputSchema":{"properties":{"a":{${string},"x-mcp-header":"a"}}}}`,
        '[',
        ']',
      ),
    ],
    [
      'one with many headers',
      fill(
        n => `"${n}":{${string},"x-mcp-header":"a${n}"}`,
        '[{"name":"a","inputSchema":{"properties":{',
        '}}}]',
      ),
    ],
    [
      'one with many schemas',
      fill('{"a":"aaaaaaaaaaaa"}', '[{"name":"a","inputSchema":{"x-mcp-header":1,"anyOf":[', ']}}]'),
    ],
    [
      'one with many schemas far inside',
      fill(
        '{"a":"aaaaaaaaaaaa"}',
        `[{"name":"a","inputSchema":{"x-mcp-header":1,"b":${'{"not":'.repeat(90)}{"anyOf":[`,
        `]}${'}'.repeat(90)}}}]`,
      ),
    ],
    [
      'many that are deep, with long names',
      fill(
        n =>
          `{"name":"${n}","inputSchema":${`{"${'x'.repeat(500)}":`.repeat(98)}{"x-mcp-header":1}${'}'.repeat(98)}}`,
        '[',
        ']',
      ),
    ],
  ];
  test.for(lists)('as %s does not block the client', async ([, tools]) => {
    for (const hint of ['', '"ttlMs":1000,']) {
      const answer: Answer = ask =>
        ask.json(`{"jsonrpc":"2.0","id":${ask.message.id},"result":{${hint}"tools":${tools}}}`);
      expect(await take(['tools'], { 'tools/list': answer })).toBe('result');
    }
  });
});

describe('4 MiB of a stream', () => {
  const notification = (method: string, params: object) =>
    `data:${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`;
  const streams: [string, string][] = [
    ['empty events', fill('data:\n\n', '', '', '')],
    ['objects', fill('data:{}\n\n', '', '', '')],
    ['lists', fill('data:[]\n\n', '', '', '')],
    ['notifications', fill(notification('a', {}), '', '', '')],
    ['progress', fill(notification('notifications/progress', { progressToken: 1, progress: 1 }), '', '', '')],
    ['notices', fill(n => notification('notifications/resources/updated', { uri: `a:${n}` }), '', '', '')],
    ['a comment', `:${'x'.repeat(SIZE)}\n`],
    ['comments', fill(':\n', '', '', '')],
    ['carriage returns', fill('\r', '', '\n\n', '')],
    ['newlines', fill('\n', '', '', '')],
    ['all line ends', fill(`${'\n'.repeat(60_000)}\r`, '', '\n\n', '')],
    ['lines of data', fill('data\n', '', '\n', '')],
    ['fields that nobody knows', fill('x\n', '', '\n', '')],
    ['ids', fill('id:1\n', '', '\n', '')],
    ['times', fill('retry:1\n', '', '\n', '')],
    ['one line', `${'x'.repeat(SIZE)}\n\n`],
  ];
  test.for(streams)('of %s does not block the client', async ([, text]) => {
    const answer: Answer = ask => {
      ask.stream().response.write(text);
      ask.event(ask.textMessage('x')).response.end();
    };
    expect(await take(['callTool', 'x'], { 'tools/call': answer })).toBe('result');
  });
});

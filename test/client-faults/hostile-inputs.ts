import type { Step } from './fixtures/client.js';

/** Something that a server may send, of just under 4 MiB. */
export interface HostileInput {
  name: string;
  steps: Step[];
  /** The messages that come back for a method, given the id of the request. */
  replies: Record<string, (id: number) => string[]>;
  /** What comes before them, where answers are streams. */
  noise?: () => string;
  /** In how many ways it travels: as a body, as events, as lines of a process. */
  over: readonly Way[];
  /** What the last step ends with. */
  end: string;
}

export type Way = 'json' | 'events' | 'lines';

const SIZE = 4 * 1024 * 1024;

/** As much of something as goes between a beginning and an end. */
function fill(unit: string | ((n: number) => string), head = '[', tail = ']', separator = ','): string {
  const units: string[] = [];
  let left = SIZE - head.length - tail.length - 500;
  for (let n = 0; left > 0; n++) {
    units.push(typeof unit === 'string' ? unit : unit(n));
    left -= units[n]!.length + separator.length;
  }
  return head + units.slice(0, -1).join(separator) + tail;
}

const scrambled = (n: number) => ((n * 2654435761) >>> 0).toString(36);
const nested = (depth: number, inner = '') => '['.repeat(depth) + inner + ']'.repeat(depth);
const names = (count: number, value: string, from = 0) =>
  Array.from({ length: count }, (_, n) => `"${scrambled(from + n)}":${value}`).join(',');
const list = (count: number, item: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n)).join(',');

const result = (text: () => string) => (id: number) => [`{"jsonrpc":"2.0","id":${id},"result":${text()}}`];
const structured = (value: () => string) => result(() => `{"content":[],"structuredContent":${value()}}`);
const notification = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', method, params });
const FINE = result(() => '{"content":[]}');
const CALL: Step[] = [['callTool', 'x']];

/** One call whose result is hostile. */
function call(
  name: string,
  value: () => string,
  end = 'result',
  over: readonly Way[] = ['json'],
): HostileInput {
  return {
    name: `structured content: ${name}`,
    steps: CALL,
    replies: { 'tools/call': structured(value) },
    over,
    end,
  };
}

/** One list of tools, read twice: it may be kept. */
function listed(name: string, text: () => string, end = 'result'): HostileInput[] {
  return ['', '"ttlMs":60000,'].map(hint => ({
    name: `tools${hint && ' to keep'}: ${name}`,
    steps: [['tools'], ['tools']],
    replies: { 'tools/list': result(() => `{${hint}"tools":${text()}}`) },
    over: ['json'],
    end,
  }));
}

/** A tool whose result is checked with its own schema. */
function checked(name: string, schema: () => string, value: () => string, end: string): HostileInput {
  return {
    name: `output schema: ${name}`,
    steps: [['tools'], ['callTool', 'x']],
    replies: {
      'tools/list': result(() => `{"tools":[{"name":"x","inputSchema":{},"outputSchema":${schema()}}]}`),
      'tools/call': structured(value),
    },
    over: ['json'],
    end,
  };
}

/** A stream, or the output of a process, with something before the answer. */
function stream(name: string, noise: () => string, way: Way = 'events'): HostileInput {
  return {
    name: `stream: ${name}`,
    steps: CALL,
    replies: { 'tools/call': FINE },
    noise,
    over: [way],
    end: 'result',
  };
}

/** Messages before the answer, on every way that has room for them. */
function messages(name: string, message: string | ((n: number) => string)): HostileInput {
  return {
    name: `messages: ${name}`,
    steps: [['callTool', 'x', {}, { onProgress: true }]],
    replies: { 'tools/call': id => [...fill(message, '', '', '\n').split('\n'), ...FINE(id)] },
    over: ['events', 'lines'],
    end: 'result',
  };
}

/** A body that is no answer. */
function body(name: string, text: () => string): HostileInput {
  return {
    name: `a list instead of an answer: ${name}`,
    steps: CALL,
    replies: { 'tools/call': () => [text()] },
    over: ['json'],
    end: 'InvalidAnswer',
  };
}

const EVERYWHERE: readonly Way[] = ['json', 'events', 'lines'];

const JSON_TEXTS: HostileInput[] = [
  call('one string', () => `"${'x'.repeat(SIZE - 500)}"`, 'result', EVERYWHERE),
  call('escapes', () => fill('\\u0041', '"', '"', '')),
  call('escaped quotes', () => fill('\\"', '"', '"', '')),
  call('text that is not ASCII', () => `"${'é'.repeat(SIZE / 2 - 500)}"`),
  call('numbers', () => fill('0'), 'result', EVERYWHERE),
  call('long numbers', () => fill('1.7976931348623157e-300')),
  call('short strings', () => fill(n => `"${n.toString(36)}"`)),
  call('600,000 names', () => fill(n => `"${scrambled(n)}":0`, '{', '}'), 'InvalidAnswer', EVERYWHERE),
  call('as many names as may be', () => `{${names(50_000, '0')}}`),
  call('objects with as many names as may be', () => fill(n => `{${names(49_000, '0', n * 49_000)}}`)),
  call('the same name', () => fill('"a":0', '{', '}')),
  call('names that are numbers', () => fill(n => `"${n * 1000}":0`, '{', '}'), 'InvalidAnswer'),
  call('rows', () => fill(n => `{"id":${n},"name":"row ${n}","isFull":true}`), 'result', EVERYWHERE),
  call('1.3 million empty objects', () => fill('{}'), 'InvalidAnswer', EVERYWHERE),
  call('objects with names of their own', () => fill(n => `{"k${n}":"aaaaaaa"}`), 'result', EVERYWHERE),
  call('objects with three names of their own', () => fill(n => `{"a${n}":0,"b${n}":0,"c${n}":0}`)),
  call('prototypes', () => fill('{"__proto__":"aaaaaaaaaa"}')),
  call('deep lists', () => fill(nested(200, `${'0,'.repeat(6000)}0`))),
  call('brackets', () => '['.repeat(SIZE - 500), 'InvalidAnswer', EVERYWHERE),
  call('white space', () => fill(' ', '[', ']', '')),
  call('no end', () => fill('1', '[', ''), 'InvalidAnswer'),
];

const BODIES: HostileInput[] = [
  body('notifications', () => fill(notification('a'))),
  body('numbers', () => fill('1')),
  body('objects', () => fill('{}')),
  body('answers that are none', () => fill('{"id":1}')),
  body(
    'a thousand large notifications',
    () => `[${list(900, n => notification('a', { a: `${n}`.repeat(1500) }))}]`,
  ),
];

const RESULTS: HostileInput[] = [
  {
    name: 'result: base64',
    replies: result(
      () => `{"content":[{"type":"image","mimeType":"a/b","data":"${'QUJD'.repeat(SIZE / 4 - 200)}"}]}`,
    ),
    end: 'result',
    over: EVERYWHERE,
  },
  {
    name: 'result: content blocks',
    replies: result(() => fill('{"type":"text","text":"a"}', '{"content":[', ']}')),
    end: 'result',
    over: ['json'],
  },
  {
    name: 'result: 50,000 fields',
    replies: result(() => `{"content":[],${names(49_000, '0')}}`),
    end: 'result',
    over: ['json'],
  },
  {
    name: 'result: its type is a list',
    replies: result(() => fill('0', '{"resultType":[', ']}')),
    end: 'InvalidAnswer',
    over: ['json'],
  },
  {
    name: 'result: 40,000 questions',
    replies: result(
      () => `{"resultType":"input_required","inputRequests":{${names(40_000, '{"method":"roots/list"}')}}}`,
    ),
    end: 'InvalidAnswer',
    over: ['json'],
  },
  {
    name: 'result: 100 large forms',
    replies: result(
      () =>
        `{"resultType":"input_required","inputRequests":{${names(100, `{"method":"elicitation/create","params":{"message":"a","requestedSchema":{"type":"object","properties":{${names(900, '{"type":"string","minLength":1}')}}}}}`)}}}`,
    ),
    end: 'TooManyRounds',
    over: ['json'],
  },
  {
    name: 'error: data',
    replies: (id: number) => [
      fill(
        '{"a":"aaaaaaaaaaaaaa"}',
        `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"a","data":[`,
        ']}}',
      ),
    ],
    end: 'McpError',
    over: EVERYWHERE,
  },
  {
    name: 'error: message',
    replies: (id: number) => [
      `{"jsonrpc":"2.0","id":${id},"error":{"code":1,"message":"${'a'.repeat(SIZE - 500)}"}}`,
    ],
    end: 'McpError',
    over: ['json'],
  },
].map(
  ({ replies, ...rest }) => ({ ...rest, steps: CALL, replies: { 'tools/call': replies } }) as HostileInput,
);

const STRING = '"type":"string"';
const TOOLS: HostileInput[] = [
  ...listed('small ones', () => fill(n => `{"name":"${n}","inputSchema":{"type":"object"}}`)),
  ...listed('no tools', () => fill('0')),
  ...listed('long names', () => fill(n => `{"name":"${n}${'a'.repeat(100_000)}","inputSchema":{}}`)),
  ...listed('invalid headers', () => fill(n => `{"name":"${n}","inputSchema":{"x-mcp-header":1}}`)),
  ...listed('a header each', () =>
    fill(n => `{"name":"${n}","inputSchema":{"properties":{"a":{${STRING},"x-mcp-header":"a"}}}}`),
  ),
  ...listed(
    'one with many headers',
    () =>
      `[{"name":"a","inputSchema":{"properties":{${list(49_000, n => `"${n}":{${STRING},"x-mcp-header":"a${n}"}`)}}}}]`,
  ),
  ...listed(
    'one with as many properties as are looked at',
    () =>
      `[{"name":"a","inputSchema":{"properties":{${list(9_000, n => `"p${n}":{${STRING}}`)}},"not":{"x-mcp-header":1}}}]`,
  ),
  ...listed(
    'one with 600,000 names',
    () => fill(n => `"${scrambled(n)}":0`, '[{"name":"a","inputSchema":{', '}}]'),
    'InvalidAnswer',
  ),
  ...listed('large ones', () =>
    fill(n => `{"name":"${n}","inputSchema":{${names(40_000, '0', n * 40_000)}}}`),
  ),
  ...listed('one with many schemas', () =>
    fill('{"a":"aaaaaaaaaaaa"}', '[{"name":"a","inputSchema":{"x-mcp-header":1,"anyOf":[', ']}}]'),
  ),
  ...listed('one with many schemas far inside', () =>
    fill(
      '{"a":"aaaaaaaaaaaa"}',
      `[{"name":"a","inputSchema":{"x-mcp-header":1,"b":${'{"not":'.repeat(90)}{"anyOf":[`,
      `]}${'}'.repeat(90)}}}]`,
    ),
  ),
  ...listed('many that are deep, with long names', () =>
    fill(
      n =>
        `{"name":"${n}","inputSchema":${`{"${'x'.repeat(500)}":`.repeat(98)}{"x-mcp-header":1}${'}'.repeat(98)}}`,
    ),
  ),
];

const LISTS: HostileInput[] = [
  {
    name: 'resources: 100,000',
    steps: [['resources'], ['resources']],
    replies: {
      'resources/list': result(() =>
        fill(n => `{"uri":"a:${n}","name":"${n}"}`, '{"ttlMs":60000,"resources":[', ']}'),
      ),
    },
    over: ['json'],
    end: 'result',
  },
  {
    name: 'resources: pages',
    steps: [['resources']],
    replies: {
      'resources/list': result(() =>
        fill(n => `{"uri":"a:${n}","name":"${n}"}`, '{"nextCursor":"a","resources":[', ']}'),
      ),
    },
    over: ['json'],
    end: 'InvalidAnswer',
  },
  {
    name: 'resources: a long cursor',
    steps: [['resources']],
    replies: {
      'resources/list': result(() => fill('a', '{"ttlMs":60000,"resources":[],"nextCursor":"', '"}', '')),
    },
    over: ['json'],
    end: 'InvalidAnswer',
  },
  {
    name: 'resource: a long text to keep',
    steps: [
      ['readResource', 'a:b'],
      ['readResource', 'a:b'],
    ],
    replies: {
      'resources/read': result(() =>
        fill('a', '{"ttlMs":60000,"contents":[{"uri":"a:b","text":"', '"}]}', ''),
      ),
    },
    over: ['json'],
    end: 'result',
  },
  {
    name: 'completion: values',
    steps: [['complete', { type: 'ref/prompt', name: 'a' }, { name: 'a', value: 'b' }]],
    replies: { 'completion/complete': result(() => fill('"a"', '{"completion":{"values":[', ']}}')) },
    over: ['json'],
    end: 'result',
  },
  {
    name: 'discovery: versions',
    steps: [],
    replies: {
      'server/discover': result(() => fill('"a"', '{"capabilities":{},"supportedVersions":[', ']}')),
    },
    over: ['json'],
    end: 'CannotConnect',
  },
  {
    name: 'discovery: capabilities',
    steps: [['ping']],
    replies: {
      'server/discover': result(
        () => `{"supportedVersions":["2026-07-28"],"capabilities":{${names(49_000, '{}')}}}`,
      ),
    },
    over: ['json'],
    end: 'result',
  },
];

const SCHEMAS: HostileInput[] = [
  checked(
    'an enum of 3.9 MB',
    () => fill(n => `"${n}"`, '{"enum":[', ']}'),
    () => '"a"',
    'InvalidAnswer',
  ),
  checked(
    'an enum of 50,000',
    () => `{"enum":[${list(50_000, n => `"value ${n}"`)}]}`,
    () => '"a"',
    'InvalidAnswer',
  ),
  checked(
    'a const of 3.9 MB',
    () => fill('{"a":"aaaaaaaaaaaa"}', '{"const":[', ']}'),
    () => '[]',
    'InvalidAnswer',
  ),
  checked(
    'a const that is a long text',
    () => `{"const":"${'a'.repeat(SIZE / 2)}"}`,
    () => `"${'a'.repeat(SIZE / 2)}"`,
    'result',
  ),
  checked(
    'a const that is as large as may be',
    () => `{"const":[${list(12_000, n => `{"${scrambled(n)}":${n}}`)}]}`,
    () => `[${list(12_000, n => `{"${scrambled(n)}":${n}}`)}]`,
    'result',
  ),
  checked(
    '50,000 properties',
    () => `{"properties":{${names(49_000, '{"type":"string"}')}}}`,
    () => '{}',
    'InvalidAnswer',
  ),
  checked(
    'as many properties as may be',
    () => `{"properties":{${names(2400, '{"type":"integer"}')}}}`,
    () => `{${names(49_000, '0')}}`,
    'result',
  ),
  checked(
    '60,000 subschemas',
    () => fill('{"type":"string"}', '{"anyOf":[', ']}'),
    () => '1',
    'InvalidAnswer',
  ),
  checked(
    'far inside',
    () => `${'{"not":'.repeat(240)}{}${'}'.repeat(240)}`,
    () => '1',
    'result',
  ),
  checked(
    '2^200 ways',
    () =>
      `{"$ref":"#/$defs/k0","$defs":{${list(200, n => `"k${n}":{"anyOf":[{"$ref":"#/$defs/k${n + 1}"},{"$ref":"#/$defs/k${n + 1}"}]}`)},"k200":{"type":"string"}}}`,
    () => '1',
    'InvalidAnswer',
  ),
  checked(
    '2,000 references',
    () =>
      `{"anyOf":[${list(2000, n => `{"$ref":"#/$defs/k${n}"}`)}],"$defs":{${list(2000, n => `"k${n}":{"minimum":${n + 2}}`)}}}`,
    () => '1',
    'InvalidAnswer',
  ),
  checked(
    'a pattern that goes back and forth',
    () => '{"pattern":"^(a|a)*(a*)*b$"}',
    () => `"${'a'.repeat(SIZE - 500)}"`,
    'InvalidAnswer',
  ),
  checked(
    '100 patterns',
    () => `{"allOf":[${list(100, n => `{"pattern":"(\\\\w{1,20}[a-f]+){1,20}x${n}"}`)}]}`,
    () => `"${'a'.repeat(100_000)}"`,
    'InvalidAnswer',
  ),
  checked(
    'patterns for names',
    () => '{"patternProperties":{"^(\\\\w+)*$":{"type":"integer"}},"additionalProperties":false}',
    () => `{${names(49_000, '0')}}`,
    'InvalidAnswer',
  ),
  checked(
    'unique items',
    () => '{"uniqueItems":true}',
    () => fill(n => `{"id":${n},"name":"a"}`),
    'InvalidAnswer',
  ),
  checked(
    'items',
    () => '{"items":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}}}',
    () => fill(n => `{"id":${n},"name":"a"}`),
    'InvalidAnswer',
  ),
  checked(
    '2 million items',
    () => '{"items":{"type":"integer"}}',
    () => fill('0'),
    'InvalidAnswer',
  ),
  checked(
    'unevaluated names',
    () => '{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"type":"integer"}}',
    () => `{${names(50_000, '0')}}`,
    'InvalidAnswer',
  ),
  checked(
    'multiples',
    () => '{"items":{"multipleOf":1e-300}}',
    () => fill('1.1e300'),
    'InvalidAnswer',
  ),
];

const event = (text: string) => `data:${text}\n\n`;
const STREAMS: HostileInput[] = [
  stream('empty events', () => fill('data:\n\n', '', '', '')),
  stream('objects', () => fill('data:{}\n\n', '', '', '')),
  stream('lists', () => fill('data:[]\n\n', '', '', '')),
  stream('a comment', () => `:${'x'.repeat(SIZE - 500)}\n`),
  stream('comments', () => fill(':\n', '', '', '')),
  stream('carriage returns', () => fill('\r', '', '\n\n', '')),
  stream('newlines', () => fill('\n', '', '', '')),
  stream('all line ends', () => fill(`${'\n'.repeat(60_000)}\r`, '', '\n\n', '')),
  stream('lines of data', () => fill('data\n', '', '\n', '')),
  stream('fields that nobody knows', () => fill('x\n', '', '\n', '')),
  stream('ids', () => fill('id:1\n', '', '\n', '')),
  stream('a long id', () => `id:${'é'.repeat(SIZE / 2 - 500)}\n\n`),
  stream('times', () => fill('retry:1\n', '', '\n', '')),
  stream('one line', () => `${'x'.repeat(SIZE - 500)}\n\n`),
  { ...stream('lines that are no JSON', () => fill('data:{"\n\n', '', '', '')), end: 'InvalidAnswer' },
  stream('messages of 60 kB', () =>
    fill(n => event(`{"a":[${list(5000, m => `{"k${n * 5000 + m}":0}`)}]}`), '', '', ''),
  ),
  stream('blank lines', () => fill('\n', '', '', ''), 'lines'),
  stream('lines that are no messages', () => fill('a\n', '', '', ''), 'lines'),
  stream('lines that look like messages', () => fill(`{"${'a'.repeat(100)}\n`, '', '', ''), 'lines'),
  stream('a line that is no message', () => `${'x'.repeat(SIZE - 500)}\n`, 'lines'),
  stream(
    'lines of 60 kB',
    () => fill(n => `{"a":[${list(5000, m => `{"k${n * 5000 + m}":0}`)}]}\n`, '', '', ''),
    'lines',
  ),
  messages('notifications', notification('a')),
  messages('progress', notification('notifications/progress', { progressToken: 1, progress: 1 })),
  messages('notices', n => notification('notifications/resources/updated', { uri: `a:${n}` })),
  messages('logs', notification('notifications/message', { level: 'info', data: 'a' })),
  messages('questions', n => JSON.stringify({ jsonrpc: '2.0', id: n, method: 'a' })),
  messages('answers to nothing', n => JSON.stringify({ jsonrpc: '2.0', id: -n, result: {} })),
];

export const HOSTILE_INPUTS: readonly HostileInput[] = [
  ...JSON_TEXTS,
  ...BODIES,
  ...RESULTS,
  ...TOOLS,
  ...LISTS,
  ...SCHEMAS,
  ...STREAMS,
];

import { expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { extension } from '../../src/server/extensions/index.js';
import { Server } from '../../src/server/index.js';
import { until } from '../interop-client/until.js';

const ID = 'com.example/shelf';
const LAYER = 'a function, or an object with request, question, receive, send';

type Malformed = [member: string, value: unknown, problem: string];

const BOTH: Malformed[] = [
  [
    'requires',
    'com.example/other',
    '`requires` of the extension "ID" must be a list of texts, not "com.example/other"',
  ],
  ['requires', [3], '`requires[0]` of the extension "ID" must be a text, not 3'],
  [
    'sends',
    'notifications/put',
    '`sends` of the extension "ID" must be a list of texts, not "notifications/put"',
  ],
  ['methods', [], '`methods` of the extension "ID" must be an object, not an array'],
  ['notifications', 'put', '`notifications` of the extension "ID" must be an object, not "put"'],
  ['middleware', {}, '`middleware` of the extension "ID" must be a list of middleware, not an object'],
  ['middleware', [null], `\`middleware[0]\` of the extension "ID" must be ${LAYER}, not null`],
  [
    'middleware',
    [{ requests: () => {} }],
    `\`middleware[0]\` of the extension "ID" must be ${LAYER}, not an object`,
  ],
  ['middleware', [{ request: 1 }], `\`middleware[0]\` of the extension "ID" must be ${LAYER}, not an object`],
  ['notices', [], '`notices` of the extension "ID" must be an object, not an array'],
];

const OF_SERVER: Malformed[] = [
  ...BOTH,
  ['asks', {}, '`asks` of the extension "ID" must be a list of texts, not an object'],
  ['resultTypes', 'slow', '`resultTypes` of the extension "ID" must be a list of texts, not "slow"'],
  [
    'methods',
    { 'a/b': () => {} },
    '`methods["a/b"]` of the extension "ID" must be made by `method`, not a function',
  ],
  [
    'notifications',
    { 'a/b': 1 },
    '`notifications["a/b"]` of the extension "ID" must be made by `notification`, not 1',
  ],
  ['notices', { a: 'b' }, '`notices["a"]` of the extension "ID" must be made by `notice`, not "b"'],
  ['needsClient', 'yes', '`needsClient` of the extension "ID" must be a boolean or a function, not "yes"'],
  ['install', 3, '`install` of the extension "ID" must be a function, not 3'],
];

const OF_CLIENT: Malformed[] = [
  ...BOTH,
  ['requests', 'a/b', '`requests` of the extension "ID" must be a list of texts, not "a/b"'],
  [
    'methods',
    { 'a/b': {} },
    '`methods["a/b"]` of the extension "ID" must be made by `answer`, not an object',
  ],
  [
    'notifications',
    { a: () => {} },
    '`notifications["a"]` of the extension "ID" must be made by `notification`, not a function',
  ],
  ['resultTypes', ['slow'], '`resultTypes` of the extension "ID" must be an object, not an array'],
  [
    'resultTypes',
    { slow: 1 },
    '`resultTypes["slow"]` of the extension "ID" must be made by `resultType`, not 1',
  ],
  ['notices', { a: 3 }, '`notices["a"]` of the extension "ID" must be a text, not 3'],
  ['calls', { 'tools/call': 3 }, '`calls["tools/call"]` of the extension "ID" must be a function, not 3'],
];

it.each(OF_SERVER)('an extension of a server refuses malformed %s: %j', (member, value, problem) => {
  const make = () => extension({ id: ID, [member]: value });
  expect(make).toThrow(expect.objectContaining({ name: 'UsageError', message: problem.replace('ID', ID) }));
});

it.each(OF_CLIENT)('a client refuses an extension with malformed %s: %j', async (member, value, problem) => {
  const server = new Server({ name: 'shelf', version: '1.0.0' });
  await expect(connect(server, { extensions: [{ id: ID, [member]: value }] })).rejects.toMatchObject({
    name: 'UsageError',
    message: problem.replace('ID', ID),
  });
});

it('a server and a client refuse extensions that are not a list', async () => {
  const info = { name: 'shelf', version: '1.0.0' };
  expect(() => new Server(info, { extensions: extension({ id: ID }) as never })).toThrow(
    expect.objectContaining({ name: 'UsageError', message: 'the extensions of a server must be a list' }),
  );
  await expect(connect(new Server(info), { extensions: { id: ID } as never })).rejects.toMatchObject({
    name: 'UsageError',
    message: 'the extensions of a client must be a list',
  });
});

it('reports an asynchronous install that fails', async () => {
  const reported: string[] = [];
  const failing = extension({
    id: ID,
    install: async () => {
      throw new Error('no shelf');
    },
  });
  new Server(
    { name: 'shelf', version: '1.0.0' },
    {
      extensions: [failing],
      onError: (error, where) => reported.push(`${where}: ${(error as Error).message}`),
    },
  );
  await until(() => expect(reported).toEqual([`\`install\` of the extension "${ID}": no shelf`]));
});

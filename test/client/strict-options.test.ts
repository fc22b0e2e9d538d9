import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/client/index.js';
import {
  bearer,
  clientCredentials,
  enterprise,
  fileStore,
  signIn,
  workloadIdentity,
} from '../../src/node/client/auth/index.js';
import { connect, connectAll } from '../../src/node/client/index.js';
import { Server } from '../../src/server/index.js';
import { connectTest } from '../../src/testing/index.js';

const URL = 'http://127.0.0.1:9/mcp';
const server = new Server({ name: 'bistro', version: '1.0.0' });
const id = { id: 'kitchen', secret: 'secret' };
const identityProvider = { issuer: 'https://id.example', client: { id: 'kitchen' } };

const MISTAKES: [what: string, remedy: string, act: () => unknown][] = [
  ['connect', 'timeoutMs', () => connect(URL, { timeout: 1000 } as object)],
  ['connect', 'timeoutMs', () => connect(server, { timeout: 1000 } as object)],
  ['connect', 'timeoutMs', () => connect({ command: 'none' }, { timeout: 1000 } as object)],
  ['connect', 'onElicit', () => connect(URL, { onelicit: () => {} } as object)],
  ['connect', 'headers', () => connectAll({ a: { target: URL, header: {} } as never })],
  ['connectAll', 'onProblem', () => connectAll({ a: server }, { onProblems: () => {} } as object)],
  ['signIn', 'scopes', () => signIn({ scope: 'all' } as object)],
  ['clientCredentials', 'secret', () => clientCredentials({ ...id, clientSecret: 'x' } as never)],
  ['workloadIdentity', 'clientId', () => workloadIdentity({ client: 'k', assertion: () => '' } as never)],
  [
    'enterprise',
    'idToken',
    () => enterprise({ client: id, identityProvider, idTokens: () => 'token' } as never),
  ],
];

describe('an option that does not exist', () => {
  it.each(MISTAKES)('is refused by %s, which names %s', async (what, remedy, act) => {
    const error = await Promise.resolve()
      .then(act)
      .then(
        () => undefined,
        thrown => thrown,
      );
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(`${what} has no option`);
    expect(error.message).toContain(remedy);
  });
});

it('a token that is no text is refused, before anything is sent', () => {
  expect(() => bearer(undefined as never)).toThrow(UsageError);
  expect(() => bearer('')).toThrow(UsageError);
  expect(() => bearer('a\nb')).toThrow(UsageError);
});

type Untyped = any;

describe('a mistake in JavaScript', () => {
  const call = async (act: (client: Untyped) => unknown) => {
    const client = await connect(server);
    try {
      await act(client);
    } finally {
      await client.close();
    }
  };

  const WRONG: [mistake: string, act: () => unknown, message: string][] = [
    ['no target', () => (connect as Untyped)(), 'connect needs a URL, { command }, a Server, or a transport'],
    [
      'a token instead of an auth',
      () => connect(URL, { auth: 'secret' } as Untyped),
      'auth must be made by signIn({ … }), bearer(token) or the like of tenon/auth/client',
    ],
    [
      'an auth that is not made yet',
      () => connect(URL, { auth: signIn } as Untyped),
      'auth must be made by signIn({ … }), bearer(token) or the like of tenon/auth/client',
    ],
    [
      'a time as a text',
      () => connect(URL, { timeoutMs: '500' } as Untyped),
      'timeoutMs of connect must be a number, 0 or more, not "500"',
    ],
    [
      'a handler that is a flag',
      () => connect(URL, { onElicit: true } as Untyped),
      'onElicit of connect must be a function, not true',
    ],
    [
      'a controller as a signal',
      () => connect(URL, { signal: new AbortController() } as Untyped),
      'signal of connect must be an AbortSignal, not an object',
    ],
    [
      'arguments of a program in one text',
      () => connect({ command: 'node', args: 'server.js' } as Untyped),
      'args of a command must be a list, not a text',
    ],
    [
      'an argument of a program that is a number',
      () => connect({ command: 'node', args: ['--port', 3000] } as Untyped),
      'the args of a command must be texts: { command: "node", args: ["server.js"] }',
    ],
    [
      'a variable of a program that is a number',
      () => connect({ command: 'node', env: { PORT: 3000 } } as Untyped),
      'the variable PORT in the env of a command must be a text',
    ],
    [
      'an unknown option of a program',
      () => connect({ command: 'node', arguments: ['server.js'] } as Untyped),
      'a command has no option "arguments"; it has command, args, env, cwd, stderr, onStderr, graceMs, restart',
    ],
    [
      'a list of servers',
      () => connectAll([URL] as Untyped),
      'connectAll needs an object that names the servers: connectAll({ kitchen: url })',
    ],
    [
      'a call as the official SDK has it',
      () => call(client => client.callTool({ name: 'greet', arguments: {} })),
      'callTool needs the name of a tool first: client.callTool("…")',
    ],
    [
      'a resource in an object',
      () => call(client => client.readResource({ uri: 'menu://today' })),
      'readResource needs the URI of a resource first: client.readResource("…")',
    ],
    [
      'a prompt in an object',
      () => call(client => client.getPrompt({ name: 'advise' })),
      'getPrompt needs the name of a prompt first: client.getPrompt("…")',
    ],
    [
      'an unknown option of a call',
      () => call(client => client.callTool('greet', {}, { timeout: 500 })),
      'a request has no option "timeout"; did you mean "timeoutMs"?',
    ],
    [
      'an unknown option of a list',
      () => call(client => client.tools({ timeout: 500 })),
      'a request has no option "timeout"; did you mean "timeoutMs"?',
    ],
    [
      'an unknown option of a ping',
      () => call(client => client.ping({ timeout: 500 })),
      'a request has no option "timeout"; did you mean "timeoutMs"?',
    ],
    [
      'a time that is no number',
      () => call(client => client.callTool('greet', {}, { timeoutMs: Number.NaN })),
      'timeoutMs of a request must be a number, 0 or more, not NaN',
    ],
    [
      'a signal that is none',
      () => call(client => client.callTool('greet', {}, { signal: {} })),
      'signal of a request must be an AbortSignal, not an object',
    ],
    [
      'progress that is a flag',
      () => call(client => client.callTool('greet', {}, { onProgress: true })),
      'onProgress of a request must be a function, not true',
    ],
    [
      'progress that is a flag, in a test',
      async () => (await connectTest(server)).callTool('greet', {}, { onProgress: true } as Untyped),
      'onProgress of a request must be a function, not true',
    ],
    [
      'an output that is no schema',
      () => call(client => client.callTool('greet', {}, { output: { city: 'Paris' } })),
      'output must be a Standard Schema, such as z.object({ … })',
    ],
    [
      'a path as a store',
      () => signIn({ redirect: { uri: 'https://app.example/back' }, store: './tokens' } as Untyped),
      'store of signIn must be an object, not a text',
    ],
    ['a file without its path', () => (fileStore as Untyped)(), 'fileStore needs the path of a file'],
    [
      'a token with its scheme',
      () => bearer('Bearer abc'),
      'bearer adds the word Bearer by itself: give it the token alone',
    ],
  ];

  it.each(WRONG)('is named before anything is sent: %s', async (_, act, message) => {
    const error = await Promise.resolve()
      .then(act)
      .catch((thrown: unknown) => thrown);
    expect(error).toEqual(new UsageError(message));
  });

  it('is not the use of Headers or a Map for headers: they are sent', async () => {
    for (const headers of [new Headers({ 'x-table': '7' }), new Map([['x-table', '7']])]) {
      const sent: (string | null)[] = [];
      const fetch = async (_: unknown, init?: RequestInit) => {
        sent.push(new Headers(init?.headers).get('x-table'));
        throw new TypeError('closed');
      };
      await connect(URL, { headers, fetch } as Untyped).catch(() => {});
      expect(new Set(sent)).toEqual(new Set(['7']));
    }
  });
});

describe('an option that only HTTP has', () => {
  it.each<[string, object]>([
    ['auth', { auth: bearer('secret') }],
    ['headers', { headers: { 'x-key': 'secret' } }],
  ])('is refused for anything but a URL: %s', async (name, options) => {
    for (const target of [{ command: 'none' }, server]) {
      await expect(connect(target, options)).rejects.toThrow(
        new UsageError(
          `${name} is only sent over HTTP: connect to a URL, or give a program its credentials with { command, env: { TOKEN: "…" } }`,
        ),
      );
    }
  });
});

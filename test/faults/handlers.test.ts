import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { ERROR, McpError, type Server, ToolError } from '../../src/index.js';
import { answerOf, EventStream, eventsOf, legacy, modern, openSession, post, textOf } from './messages.js';
import { exchange, RawConnection, type RawRequest, requestBytes } from './raw-http.js';
import { type Served, serve } from './serving.js';
import { signalled } from './signalled.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

const SECRET = 'the password is hunter2';

const hostile = {
  get message(): string {
    throw new Error(SECRET);
  },
  toString(): string {
    throw new Error(SECRET);
  },
  get [Symbol.toStringTag](): string {
    throw new Error(SECRET);
  },
};

class HostileError extends Error {
  override get message(): string {
    throw new Error(SECRET);
  }
  override get stack(): string {
    throw new Error(SECRET);
  }
  override toString(): string {
    throw new Error(SECRET);
  }
}

/** By name, because the values would not survive being printed in the name of a test. */
const THROWN = new Map<string, unknown>([
  ['an error', new Error(SECRET)],
  ['a string', SECRET],
  ['null', null],
  ['undefined', undefined],
  ['a number', 7],
  ['a symbol', Symbol(SECRET)],
  ['an object', { code: -32000, message: SECRET }],
  ['a hostile object', hostile],
  ['a hostile error', new HostileError()],
  ['an object without a prototype', Object.create(null)],
  ['a proxy that refuses everything', refusingProxy()],
  ['an aggregate', new AggregateError([new Error(SECRET)], SECRET)],
  ['an error with a cyclic cause', cyclicError()],
]);

function refusingProxy(): object {
  const refuse = () => {
    throw new Error(SECRET);
  };
  return new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse });
}

function cyclicError(): Error {
  const error = new Error(SECRET);
  error.cause = error;
  return error;
}

/** A tool, a prompt, a resource and a method that all fail in the same way, and a tool that does not. */
function failing(fail: () => never): (server: Server) => void {
  return server => {
    server.tool('fine', {}, () => 'fine');
    server.tool('sync', {}, fail);
    server.tool('async', {}, async () => fail());
    server.tool('late', {}, () => new Promise((_, reject) => setImmediate(() => rejectWith(fail, reject))));
    server.prompt('sync', {}, fail);
    server.prompt('async', {}, async () => fail());
    server.resource('fail://sync', {}, fail);
    server.resource('fail://async', {}, async () => fail());
    server.resource('fail://template/{x}', { complete: { x: fail } }, fail);
    server.method('acme/sync', fail);
    server.method('acme/async', async () => fail());
  };
}

function rejectWith(fail: () => never, reject: (reason: unknown) => void): void {
  try {
    fail();
  } catch (thrown) {
    reject(thrown);
  }
}

const FAILING_TOOLS = ['sync', 'async', 'late'];
const FAILING_REQUESTS: [string, object][] = [
  ['prompts/get', { name: 'sync' }],
  ['prompts/get', { name: 'async' }],
  ['resources/read', { uri: 'fail://sync' }],
  ['resources/read', { uri: 'fail://async' }],
  ['resources/read', { uri: 'fail://template/1' }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'fail://template/{x}' }, argument: { name: 'x', value: '' } },
  ],
  ['acme/sync', {}],
  ['acme/async', {}],
];

/** The same request in both eras. */
async function bothEras(port: number, method: string, params: object): Promise<RawRequest[]> {
  return [modern(method, params), legacy(await openSession(port), method, params)];
}

async function expectFine(port: number): Promise<void> {
  for (const request of await bothEras(port, 'tools/call', { name: 'fine' })) {
    expect(textOf(await exchange(port, request))).toBe('fine');
  }
}

describe.for([...THROWN.keys()])('a handler that throws %s', name => {
  const thrown = THROWN.get(name);
  const fail = () => {
    throw thrown;
  };

  test('fails for the client without a word on why, and the author is told', async () => {
    const { port, errors } = await serve(failing(fail));
    for (const name of FAILING_TOOLS) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response).result).toMatchObject({
          isError: true,
          content: [{ text: `tool "${name}" failed` }],
        });
        expect(response.body).not.toContain('hunter2');
        expectReported(errors.splice(0), thrown);
      }
    }
    for (const [method, params] of FAILING_REQUESTS) {
      for (const request of await bothEras(port, method, params)) {
        const response = await exchange(port, request);
        expect(answerOf(response).error).toEqual({ code: -32603, message: 'internal error' });
        expectReported(errors.splice(0), thrown);
      }
    }
    await expectFine(port);
  });

  test('fails with its text if errors are exposed, as far as it has one', async () => {
    const { port } = await serve(failing(fail), { server: { exposeErrors: true, onError: () => {} } });
    const hasText = thrown instanceof Error ? !(thrown instanceof HostileError) : typeof thrown === 'string';
    for (const name of FAILING_TOOLS) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({ id: 1, result: { isError: true } });
        if (hasText) expect(textOf(response)).toContain(SECRET);
      }
    }
    for (const [method, params] of FAILING_REQUESTS) {
      for (const request of await bothEras(port, method, params)) {
        const { error } = answerOf(await exchange(port, request));
        expect(error.code).toBe(-32603);
        if (hasText) expect(error.message).toContain(SECRET);
      }
    }
    await expectFine(port);
  });

  test('is printed on standard error if nobody else is told, whatever it is', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation((...args) => void inspectAll(args));
    try {
      const { port } = await serve(failing(fail), { server: { onError: undefined as never } });
      for (const request of await bothEras(port, 'tools/call', { name: 'sync' })) {
        expect(answerOf(await exchange(port, request)).result.isError).toBe(true);
      }
      await expectFine(port);
      expect(print).toHaveBeenCalled();
    } finally {
      print.mockRestore();
    }
  });

  test('harms nobody if the one who is told of it fails, too', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    try {
      const { port } = await serve(failing(fail), {
        server: {
          onError: () => {
            throw thrown;
          },
        },
      });
      for (const name of FAILING_TOOLS) {
        for (const request of await bothEras(port, 'tools/call', { name })) {
          expect(answerOf(await exchange(port, request))).toMatchObject({ id: 1, result: { isError: true } });
        }
      }
      for (const [method, params] of FAILING_REQUESTS) {
        for (const request of await bothEras(port, method, params)) {
          expect(answerOf(await exchange(port, request))).toMatchObject({ id: 1, error: { code: -32603 } });
        }
      }
      await expectFine(port);
    } finally {
      print.mockRestore();
    }
  });

  test('also if it is middleware, or takes notifications', async () => {
    const { port, errors } = await serve(server => {
      failing(fail)(server);
      server.use(async (call, next) => {
        if (call.method === 'tools/list') fail();
        return next();
      });
      server.notification('notifications/acme', fail);
    });
    for (const request of await bothEras(port, 'tools/list', {})) {
      expect(answerOf(await exchange(port, request))).toMatchObject({
        id: 1,
        error: { code: -32603, message: 'internal error' },
      });
    }
    errors.length = 0;
    const session = await openSession(port);
    const notification = post(
      { jsonrpc: '2.0', method: 'notifications/acme' },
      { 'mcp-session-id': session },
    );
    expect((await exchange(port, notification)).status).toBe(202);
    await expectFine(port);
    expectReported(errors, thrown);
  });
});

/** By identity: some of what is thrown cannot even be compared. */
function expectReported(errors: unknown[], thrown: unknown): void {
  expect(errors.length).toBe(1);
  expect(errors[0] === thrown).toBe(true);
}

/** Prints as `console.error` does, without printing. */
function inspectAll(args: unknown[]): string {
  return args.map(arg => (typeof arg === 'string' ? arg : inspect(arg))).join(' ');
}

describe('an error that is meant for the client', () => {
  test('arrives as it is', async () => {
    const { port, errors } = await serve(server => {
      server.tool('refuse', {}, () => {
        throw new McpError(ERROR.invalidParams, 'page must be at least 1', { page: 0 });
      });
      server.tool('explain', {}, () => {
        throw new ToolError('closed on Mondays');
      });
    });
    for (const request of await bothEras(port, 'tools/call', { name: 'refuse' })) {
      const { error } = answerOf(await exchange(port, request));
      expect(error).toEqual({ code: -32602, message: 'page must be at least 1', data: { page: 0 } });
    }
    for (const request of await bothEras(port, 'tools/call', { name: 'explain' })) {
      expect(answerOf(await exchange(port, request)).result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'closed on Mondays' }],
      });
    }
    expect(errors).toEqual([]);
  });

  test('with data that JSON cannot carry fails as an internal one', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    for (const data of [
      10n,
      cyclic,
      {
        toJSON: () => {
          throw new Error(SECRET);
        },
      },
    ]) {
      const { port, errors } = await serve(server => {
        server.tool('refuse', {}, () => {
          throw new McpError(ERROR.invalidParams, 'no', data);
        });
      });
      for (const request of await bothEras(port, 'tools/call', { name: 'refuse' })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({
          id: 1,
          error: { code: -32603, message: 'internal error' },
        });
        expect(response.body).not.toContain('hunter2');
      }
      expect(errors.length).toBeGreaterThan(0);
    }
  });
});

function cyclicResult(): object {
  const result: { content: unknown[]; self?: unknown } = { content: [] };
  result.self = result;
  return result;
}

/** What no type checker would let through, but JavaScript does. */
const NONSENSE = new Map<string, unknown>([
  ['a function', () => 'text'],
  ['a class', class {}],
  ['a symbol', Symbol('x')],
  ['a BigInt', 10n],
  ['a date', new Date(0)],
  ['a map', new Map([['content', []]])],
  ['a regular expression', /x/],
  ['a plain object', { a: 1 }],
  ['a block of an unknown type', { type: 'hologram', text: 'x' }],
  ['a block without its text', { type: 'text' }],
  ['a list of nonsense', [{ type: 'text', text: 'fine' }, () => {}]],
  ['a proxy that refuses everything', refusingProxy()],
  ['something that turns into nothing', { toJSON: () => undefined }],
]);

const UNWRITABLE = new Map<string, unknown>([
  ['a cyclic result', cyclicResult()],
  ['a BigInt inside', { content: [], _meta: { n: 10n } }],
  [
    'a getter that throws',
    {
      content: [],
      get extra() {
        throw new Error(SECRET);
      },
    },
  ],
  ['a result that turns into nothing', { content: [], toJSON: () => undefined }],
  ['a result that turns into a text', { content: [], toJSON: () => 'text' }],
  ['a result that turns into a list', { content: [], toJSON: () => [1] }],
  [
    'a result that refuses to be written',
    {
      content: [],
      toJSON: () => {
        throw new Error(SECRET);
      },
    },
  ],
]);

describe('a handler that returns', () => {
  test.for([...NONSENSE.keys()])('%s fails, and the author is told', async name => {
    const value = NONSENSE.get(name);
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('nonsense', {}, () => value as string);
      server.tool('later', {}, async () => value as string);
      server.prompt('nonsense', {}, () => value as string);
      server.resource('a://nonsense', {}, () => value as string);
    });
    for (const name of ['nonsense', 'later']) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({ id: 1, result: { isError: true } });
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    for (const request of await bothEras(port, 'prompts/get', { name: 'nonsense' })) {
      expect(answerOf(await exchange(port, request))).toMatchObject({ id: 1, error: { code: -32603 } });
      expect(errors.splice(0)).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'resources/read', { uri: 'a://nonsense' })) {
      const answer = answerOf(await exchange(port, request));
      // To a resource, anything with a text is contents.
      if (name !== 'a block of an unknown type')
        expect(answer).toMatchObject({ id: 1, error: { code: -32603 } });
    }
    await expectFine(port);
  });

  test.for([...UNWRITABLE.keys()])('%s fails, and the author is told', async name => {
    const value = UNWRITABLE.get(name);
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('nonsense', {}, () => value as string);
      server.method('acme/nonsense', () => value as object);
    });
    for (const [method, params] of [
      ['tools/call', { name: 'nonsense' }],
      ['acme/nonsense', {}],
    ] as const) {
      for (const request of await bothEras(port, method, params)) {
        const response = await exchange(port, request);
        const answer = answerOf(response);
        expect(answer.id).toBe(1);
        expect(answer.result?.isError === true || answer.error?.code === -32603).toBe(true);
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    await expectFine(port);
  });

  test.for<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'text'],
    ['a number', 7],
    ['a list', [1]],
    ['a function', () => {}],
    ['a date', new Date(0)],
    ['a symbol', Symbol('x')],
  ])('%s from a method of its own fails, and the author is told', async ([, value]) => {
    const { port, errors } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.method('acme/nonsense', () => value as object);
      server.method('acme/later', async () => value as object);
    });
    for (const method of ['acme/nonsense', 'acme/later']) {
      for (const request of await bothEras(port, method, {})) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({
          id: 1,
          error: { code: -32603, message: 'internal error' },
        });
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
    await expectFine(port);
  });

  test('nothing at all has a result without content', async () => {
    const { port, errors } = await serve(server => server.tool('quiet', {}, () => {}));
    for (const request of await bothEras(port, 'tools/call', { name: 'quiet' })) {
      expect(answerOf(await exchange(port, request)).result.content).toEqual([]);
    }
    expect(errors).toEqual([]);
  });

  test('a promise of another library is waited for', async () => {
    const thenable = (value: unknown) => ({
      // biome-ignore lint/suspicious/noThenProperty: query builders are such objects.
      then: (resolve: (value: unknown) => void) => void setImmediate(() => resolve(value)),
    });
    const { port } = await serve(server => {
      server.tool('later', {}, () => thenable('text') as never);
      server.prompt('later', {}, () => thenable('text') as never);
      server.resource('a://later', {}, () => thenable('text') as never);
      server.method('acme/later', () => thenable({ done: true }) as never);
      server.tool(
        'failing',
        {},
        () =>
          ({
            // biome-ignore lint/suspicious/noThenProperty: as above.
            then: (_: unknown, reject: (reason: unknown) => void) => reject(new ToolError('no rows')),
          }) as never,
      );
    });
    for (const request of await bothEras(port, 'tools/call', { name: 'later' })) {
      expect(textOf(await exchange(port, request))).toBe('text');
    }
    for (const request of await bothEras(port, 'tools/call', { name: 'failing' })) {
      expect(textOf(await exchange(port, request))).toBe('no rows');
    }
    for (const request of await bothEras(port, 'prompts/get', { name: 'later' })) {
      expect(answerOf(await exchange(port, request)).result.messages).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'resources/read', { uri: 'a://later' })) {
      expect(answerOf(await exchange(port, request)).result.contents).toHaveLength(1);
    }
    for (const request of await bothEras(port, 'acme/later', {})) {
      expect(answerOf(await exchange(port, request)).result.done).toBe(true);
    }
  });

  test('what its output schema refuses fails without telling the client what it was', async () => {
    const { port, errors } = await serve(server => {
      server.tool('typed', { output: z.object({ n: z.number() }) }, () => ({ n: SECRET }) as never);
      server.tool(
        'json',
        { output: { type: 'object', properties: { n: { type: 'number' } } } },
        () => ({ n: SECRET }) as never,
      );
      server.tool('big', { output: z.any() }, () => 10n);
      server.tool('cyclic', { output: z.any() }, cyclicResult);
    });
    for (const name of ['typed', 'json', 'big', 'cyclic']) {
      for (const request of await bothEras(port, 'tools/call', { name })) {
        const response = await exchange(port, request);
        expect(answerOf(response)).toMatchObject({ id: 1, result: { isError: true } });
        expect(response.body).not.toContain('hunter2');
        expect(errors.splice(0)).toHaveLength(1);
      }
    }
  });
});

describe('a handler that never returns', () => {
  async function serveWaiting(): Promise<Served & { started: Promise<void>; aborted: Promise<unknown> }> {
    const started = signalled();
    const aborted = signalled<unknown>();
    const served = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('never', {}, (_, { signal }) => {
        started.resolve();
        signal.addEventListener('abort', () => aborted.resolve(signal.reason));
        return new Promise(() => {});
      });
    });
    return { ...served, started: started.promise, aborted: aborted.promise };
  }

  test('is told by a cancellation in a session, which goes on', async () => {
    const { port, started, aborted, close, errors } = await serveWaiting();
    const session = await openSession(port);
    const call = exchange(port, legacy(session, 'tools/call', { name: 'never' }, { id: 'a' }));
    await started;
    const cancelled = (requestId: unknown) =>
      exchange(
        port,
        post(
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'enough' } },
          { 'mcp-session-id': session },
        ),
      );
    for (const other of ['b', 1, null, undefined, {}, ['a']])
      expect((await cancelled(other)).status).toBe(202);
    expect((await cancelled('a')).status).toBe(202);
    expect(await aborted).toMatchObject({ name: 'Cancelled', message: 'enough' });
    expect((await call).body).toBe('');
    expect((await cancelled('a')).status).toBe(202);
    expect(textOf(await exchange(port, legacy(session, 'tools/call', { name: 'fine' }, { id: 'a' })))).toBe(
      'fine',
    );
    expect(errors).toEqual([]);
    // Nothing is left to wait for.
    await close();
  });

  test('is not cancelled from another session', async () => {
    const { port, started, aborted } = await serveWaiting();
    const [ada, eve] = [await openSession(port), await openSession(port)];
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(legacy(ada, 'tools/call', { name: 'never' }, { id: 'a' })));
    await started;
    const params = { requestId: 'a' };
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
    await exchange(port, post(message, { 'mcp-session-id': eve }));
    await exchange(port, post(message, { 'mcp-session-id': ada }));
    // The first reason that arrives is the one of ada's own cancellation, after eve's has been dealt with.
    expect(await aborted).toMatchObject({ name: 'Cancelled' });
  });

  test('is told by the disconnect of a modern client, and leaves nothing behind', async () => {
    const { port, started, aborted, close } = await serveWaiting();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'never' })));
    await started;
    connection.destroy();
    expect(await aborted).toMatchObject({ name: 'Cancelled' });
    await expectFine(port);
    await close();
  });

  test('is not begun for a client that left while somebody found out who it is', async () => {
    const arrived = signalled();
    const goOn = signalled();
    const begun: string[] = [];
    const { port } = await serve(
      server => {
        server.tool('fine', {}, () => 'fine');
        server.tool('never', {}, () => {
          begun.push('never');
          return new Promise(() => {});
        });
      },
      {
        async authenticate() {
          arrived.resolve();
          await goOn.promise;
          return undefined;
        },
      },
    );
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'never' })));
    await arrived.promise;
    connection.destroy();
    await connection.closed;
    // One round over another connection: by then the server has seen the end of the first.
    await exchange(port, { method: 'OPTIONS' });
    goOn.resolve();
    expect(textOf(await exchange(port, modern('tools/call', { name: 'fine' })))).toBe('fine');
    expect(begun).toEqual([]);
  });

  test('goes on when a legacy client disconnects, because that does not cancel', async () => {
    const started = signalled();
    const goOn = signalled();
    const ended = signalled<boolean>();
    const { port } = await serve(server => {
      server.tool('slow', {}, async (_, { signal }) => {
        started.resolve();
        await goOn.promise;
        ended.resolve(signal.aborted);
      });
    });
    const session = await openSession(port);
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(legacy(session, 'tools/call', { name: 'slow' })));
    await started.promise;
    connection.destroy();
    await connection.closed;
    await exchange(port, legacy(session, 'ping'));
    goOn.resolve();
    expect(await ended.promise).toBe(false);
  });

  test('may reject after it was cancelled without harm', async () => {
    const started = signalled();
    const rejected = signalled();
    const { port } = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('late', {}, (_, { signal }) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            setImmediate(() => {
              reject(new Error(SECRET));
              rejected.resolve();
            });
          });
        });
      });
    });
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'late' })));
    await started.promise;
    connection.destroy();
    await rejected.promise;
    await expectFine(port);
  });
});

describe('what a handler says after its answer', () => {
  async function serveTalkative() {
    const again = signalled();
    const said = signalled<unknown>();
    const served = await serve(server => {
      server.tool('fine', {}, () => 'fine');
      server.tool('talk', {}, async (_, ctx) => {
        ctx.log.error('before');
        void again.promise
          .then(() => {
            ctx.log.error('after');
            ctx.progress(2);
            ctx.closeStream();
            return ctx.session ? ctx.roots({ timeout: 60_000 }) : undefined;
          })
          .catch(error => error)
          .then(said.resolve);
        ctx.progress(1);
        return 'done';
      });
    });
    return { ...served, again, said };
  }
  const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };

  test('is not sent on the modern era', async () => {
    const { port, again, said } = await serveTalkative();
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(modern('tools/call', { name: 'talk' }, { meta })));
    const events = eventsOf((await connection.response()).body);
    expect(events.map(({ method, result }) => method ?? result.content[0].text)).toEqual([
      'notifications/message',
      'notifications/progress',
      'done',
    ]);
    again.resolve();
    await said.promise;
    connection.send(requestBytes(modern('tools/call', { name: 'fine' })));
    expect(textOf(await connection.response())).toBe('fine');
  });

  test('is not sent in a session, and a question is refused instead of waiting for an answer', async () => {
    const { port, again, said } = await serveTalkative();
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { roots: {} },
      clientInfo: { name: 'x', version: '1' },
    };
    const opened = await exchange(port, post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    const session = opened.headers.get('mcp-session-id')!;
    const notices = await EventStream.open(port, {
      method: 'GET',
      headers: { 'mcp-session-id': session, accept: 'text/event-stream' },
    });
    const talk = await exchange(port, legacy(session, 'tools/call', { name: 'talk', _meta: meta }));
    expect(eventsOf(talk.body)).toHaveLength(3);
    again.resolve();
    expect(await said.promise).toBeInstanceOf(Error);
    await exchange(port, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect(await notices.rest()).toEqual([]);
  });
});

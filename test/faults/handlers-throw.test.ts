import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { ERROR, McpError, type Server, ToolError } from '../../src/server/index.js';
import { bothEras, expectFine } from './both-eras.js';
import { cyclicError, HostileError, hostile, refusingProxy, SECRET } from './hostile-values.js';
import { answerOf, openSession, post, textOf } from './messages.js';
import { exchange } from './raw-http.js';
import { serve } from './serving.js';
import { failOnUnhandled } from './unhandled.js';

failOnUnhandled();

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

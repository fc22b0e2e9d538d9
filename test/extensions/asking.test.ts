import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/node/client/index.js';
import { extension, method } from '../../src/server/extensions/index.js';
import { inputRequired, type Middleware, Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';

const ROUNDS = 'tools/call, prompts/get, resources/read';
const NAME = {
  method: 'elicitation/create' as const,
  params: {
    mode: 'form' as const,
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

/** A server whose methods and tool count how often they run, with a client that answers every question. */
async function open(revision: string, middleware?: Middleware) {
  const reported: string[] = [];
  const seen = { runs: 0, reported };
  const returning = (value: () => object) =>
    method(z.looseObject({}), () => {
      seen.runs++;
      return value();
    });
  const server = new Server(
    { name: 'library', version: '1.0.0' },
    {
      onError: (error, where) => reported.push(`${where}: ${(error as Error).message}`),
      extensions: [
        extension({
          id: 'com.example/library',
          needsClient: false,
          methods: {
            'com.example/plain': returning(() => ({})),
            'com.example/lie': returning(() => ({ resultType: 'input_required' })),
            'com.example/ask': returning(() => inputRequired({ requests: { who: NAME } })),
          },
        }),
      ],
    },
  );
  server.tool('look', {}, () => {
    seen.runs++;
    return 'Emma';
  });
  if (middleware) server.use({ name: 'faulty', request: middleware as never });
  const client = await connect((await serve(server)).url, {
    revision,
    onElicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
  });
  onTestFinished(() => client.close());
  return { client, seen };
}

/** Middleware that adds members to the results of a method. */
function adding(to: string, members: object): Middleware {
  return async (call, next) => {
    const result = await next();
    return call.method === to ? { ...result, ...members } : result;
  };
}

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('on %s', revision => {
  const asked: [string, object, string][] = [
    [
      'has no questions',
      { resultType: 'input_required' },
      'but has no questions and no state: use inputRequired',
    ],
    [
      'has questions that are no object',
      { resultType: 'input_required', inputRequests: 'who' },
      'but its inputRequests are not an object',
    ],
    [
      'has a malformed question',
      { resultType: 'input_required', inputRequests: { who: { method: 'nobody/asks' } } },
      'but its question "who" is malformed: ' +
        'its method must be elicitation/create, sampling/createMessage or roots/list, not "nobody/asks"',
    ],
  ];
  it.each(asked)(
    'middleware that asks with a result that %s is refused by its name',
    async (_, members, problem) => {
      const { client, seen } = await open(revision, adding('tools/call', members));
      await expect(client.callTool('look')).rejects.toMatchObject({ code: -32603 });
      expect(seen).toEqual({
        runs: 1,
        reported: [`tools/call: middleware "faulty" returned a result of tools/call that asks, ${problem}`],
      });
    },
  );

  it.each(['com.example/plain', 'tools/list'])('middleware cannot ask in a result of %s', async name => {
    const { client, seen } = await open(revision, adding(name, { resultType: 'input_required' }));
    await expect(client.request(name)).rejects.toMatchObject({ code: -32603 });
    const problem = `middleware "faulty" returned a result of ${name} that asks, but only ${ROUNDS} have rounds`;
    expect(seen.reported).toEqual([`${name}: ${problem}`]);
  });

  it('middleware asks with well-formed questions, and gets the answers', async () => {
    const { client, seen } = await open(revision, async (call, next) =>
      call.method !== 'tools/call' || call.inputResponses?.has('who')
        ? next()
        : inputRequired({ requests: { who: NAME } }),
    );
    expect((await client.callTool('look')).content).toEqual([{ type: 'text', text: 'Emma' }]);
    expect(seen).toEqual({ runs: 1, reported: [] });
  });

  it.each(['com.example/lie', 'com.example/ask'])(
    'a method of an extension that asks by hand runs once, and is refused and reported: %s',
    async name => {
      const { client, seen } = await open(revision);
      await expect(client.request(name)).rejects.toMatchObject({
        code: -32603,
        message: `a handler of ${name} cannot ask: only ${ROUNDS} have rounds`,
      });
      const problem = `method "${name}" asked the client, but only ${ROUNDS} have rounds`;
      expect(seen).toEqual({ runs: 1, reported: [`${name}: ${problem}`] });
    },
  );
});

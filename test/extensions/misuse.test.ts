import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { resultType } from '../../src/client/extensions/index.js';
import type { ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension, extensionResult } from '../../src/server/extensions/index.js';
import { type Middleware, Server } from '../../src/server/index.js';

const ID = 'com.example/shelf';

async function open(options: ConnectOptions, middleware?: Middleware) {
  const reported: string[] = [];
  const server = new Server(
    { name: 'shelf', version: '1.0.0' },
    {
      onError: error => reported.push((error as Error).message),
      extensions: [extension({ id: ID, resultTypes: ['slow'] })],
    },
  );
  server.tool('slow', {}, () => extensionResult('slow', {}));
  server.tool('ask', {}, async (_, ctx) => (await ctx.elicit('Who?', z.object({ name: z.string() }))).action);
  if (middleware) server.use(middleware);
  const client = await connect(server, { onElicit: () => ({ action: 'decline' }), ...options });
  onTestFinished(() => client.close());
  return { client, reported };
}

it.each([undefined, null])('the handler of a result type must not return %s', async nothing => {
  const slow = resultType(z.looseObject({}), () => nothing as never);
  const { client } = await open({ extensions: [{ id: ID, resultTypes: { slow } }] });
  await expect(client.callTool('slow')).rejects.toMatchObject({
    name: 'UsageError',
    message: `the handler of resultTypes["slow"] of the extension "${ID}" returned no result: return an object`,
  });
});

it.each([{}, { method: 'elicitation/create' }, { method: 'elicitation/create', params: 5 }])(
  'middleware that passes on the question %j is named',
  async question => {
    const { client, reported } = await open(
      {},
      { name: 'faulty', question: (_, next) => next({ question: question as never }) },
    );
    await client.callTool('ask').catch(() => {});
    expect(reported).toEqual(['middleware "faulty" must pass a question with a method and params to next']);
  },
);

it('middleware that passes on a replacement that is no function is named', async () => {
  const { client, reported } = await open(
    {},
    {
      name: 'faulty',
      request: (call, next) => (call.method === 'tools/call' ? next({ replace: {} as never }) : next()),
    },
  );
  await client.callTool('ask').catch(() => {});
  expect(reported).toEqual(['middleware "faulty" must pass a function as replace to next']);
});

it('middleware of a client that passes on a question without a method is named, and not the one after it', async () => {
  const { client } = await open({
    revision: '2026-07-28',
    middleware: [
      { name: 'faulty', question: (_, next) => next({ question: {} as never }) },
      { name: 'innocent', question: (_, next) => next() },
    ],
  });
  await expect(client.callTool('ask')).rejects.toThrow(
    'middleware "faulty" must pass a question with a method to next',
  );
});

it('middleware of a client that is no function for one kind of message is refused at once', async () => {
  const { client } = await open({});
  const layer = { request: (_: unknown, next: () => unknown) => next(), send: 'nothing' };
  expect(() => client.use(layer as never)).toThrow(
    'middleware must be a function, or an object with request',
  );
});

it.each(['a handler', 'middleware'])(
  'the client hears of an error of %s that its server only knows as internal',
  async where => {
    const warnings: string[] = [];
    const fail = () => {
      throw new Error('the form has no window');
    };
    const { client } = await open({
      revision: '2025-11-25',
      onElicit: where === 'a handler' ? fail : () => ({ action: 'decline' }),
      middleware: where === 'middleware' ? [{ name: 'faulty', question: fail }] : [],
      onWarning: message => warnings.push(message),
    });
    const { content } = await client.callTool('ask');
    expect(content).toMatchObject([{ text: expect.stringContaining('internal error') }]);
    expect(warnings).toEqual(['elicitation/create was not answered: the form has no window']);
  },
);

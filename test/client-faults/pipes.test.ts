import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Client,
  ConnectionError,
  connect,
  InvalidAnswer,
  RequestTimeout,
} from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { expectUsable, failure } from './connected.js';
import { DISCOVERY, LEGACY } from './raw-server.js';

failOnUnhandled();

type Message = any;

/** A server at the other end of a pipe, which does with each message what the test says. */
class Pipe {
  readonly messages: Message[] = [];
  readonly #answer: (message: Message, pipe: Pipe) => void;
  #receive: (text: string) => void = () => {};
  #closed: (reason?: Error) => void = () => {};

  constructor(answer: (message: Message, pipe: Pipe) => void) {
    this.#answer = answer;
  }

  async start(receive: (text: string) => void, closed: (reason?: Error) => void): Promise<void> {
    this.#receive = receive;
    this.#closed = closed;
  }

  async send(text: string): Promise<void> {
    const message = JSON.parse(text);
    this.messages.push(message);
    setImmediate(() => this.#answer(message, this));
  }

  async close(): Promise<void> {}

  say(...messages: unknown[]): void {
    for (const message of messages)
      this.#receive(typeof message === 'string' ? message : JSON.stringify(message));
  }

  break(reason?: Error): void {
    this.#closed(reason);
  }

  of(method: string): Message[] {
    return this.messages.filter(message => message.method === method);
  }
}

const result = ({ id }: Message, value: object) => ({ jsonrpc: '2.0', id, result: value });
const text = (message: Message, value: string) =>
  result(message, { content: [{ type: 'text', text: value }] });

/** A client of a modern server whose tool `odd` does what the test says. */
async function connected(
  odd: (message: Message, pipe: Pipe) => void,
  options: Parameters<typeof connect>[1] = {},
): Promise<{ client: Client; pipe: Pipe }> {
  const pipe = new Pipe((message, self) => {
    if (message.method === 'server/discover') self.say(result(message, DISCOVERY));
    else if (message.params?.name === 'fine') self.say(text(message, 'fine'));
    else if (message.method === 'tools/call') odd(message, self);
  });
  const client = await connect(pipe, { onWarning: () => {}, ...options });
  onTestFinished(() => client.close());
  return { client, pipe };
}

describe('a server at the other end of a pipe', () => {
  // covers: 2026-07-28/basic/unknown-result-type-is-invalid
  test.for<[string, (message: Message) => unknown]>([
    ['neither result nor error', ({ id }) => ({ jsonrpc: '2.0', id })],
    ['a result that is no object', ({ id }) => ({ jsonrpc: '2.0', id, result: 'x' })],
    [
      'a result and an error',
      ({ id }) => ({ jsonrpc: '2.0', id, result: {}, error: { code: 1, message: '' } }),
    ],
    ['an error without a code', ({ id }) => ({ jsonrpc: '2.0', id, error: {} })],
    ['an answer in another version', ({ id }) => ({ jsonrpc: '1.0', id, result: {} })],
    ['a result of an unknown type', message => result(message, { resultType: 'task', content: [] })],
  ])('that answers with %s fails the call at once', async ([, answer]) => {
    const { client } = await connected((message, pipe) => pipe.say(answer(message)));
    expect(await failure(client.callTool('odd'))).toBeInstanceOf(InvalidAnswer);
    await expectUsable(client);
  });

  test.for<[string, (message: Message) => unknown[]]>([
    ['answers twice', message => [text(message, 'right'), text(message, 'wrong')]],
    [
      'answers what nobody asked',
      message => [{ ...text(message, 'wrong'), id: 'x' }, text(message, 'right')],
    ],
    [
      'prints all sorts of things',
      message => ['', 'hello', '{', '[', '17', 'null', '[]', '[1,[]]', text(message, 'right')],
    ],
    ['says things that are nested too deep', message => ['['.repeat(100_000), text(message, 'right')]],
    [
      'sends a request under the same id',
      message => [{ jsonrpc: '2.0', id: message.id, method: 'ping' }, text(message, 'right')],
    ],
    [
      'sends a broken request under the same id',
      message => [{ jsonrpc: '2.0', id: message.id, method: 1 }, text(message, 'right')],
    ],
    ['answers in a list', message => [[{ jsonrpc: '2.0', method: 'a' }, text(message, 'right')]]],
  ])('that %s is understood', async ([, answers]) => {
    const { client } = await connected((message, pipe) => pipe.say(...answers(message)));
    expect(await client.callTool('odd')).toMatchObject({ content: [{ text: 'right' }] });
    await expectUsable(client);
  });

  // covers: 2026-07-28/cancellation/client-cancels, 2026-07-28/cancellation/late-response-is-ignored
  // covers: 2026-07-28/cancellation/races-are-handled, 2026-07-28/cancellation/stdio-needs-a-notification
  // covers: 2026-07-28/cancellation/timeout-cancels, 2026-07-28/stdio/cancelled-by-notification
  test('that answers late answers nobody, and was told that nobody waits', async () => {
    let late: Message;
    const { client, pipe } = await connected(message => {
      late = message;
    });
    expect(await failure(client.callTool('odd', {}, { timeoutMs: 50 }))).toBeInstanceOf(RequestTimeout);
    expect(pipe.of('notifications/cancelled')).toMatchObject([{ params: { requestId: late.id } }]);
    const next = client.callTool('fine');
    pipe.say(text(late, 'late'));
    expect(await next).toMatchObject({ content: [{ text: 'fine' }] });
  });

  test('that starts so slowly that it answers the probe after the handshake has begun is not misunderstood', async () => {
    const waiting: Message[] = [];
    const pipe = new Pipe((message, self) => {
      waiting.push(message);
      if (message.method === 'initialize') {
        // Now it is awake, and reads everything from the beginning.
        const error = { code: -32601, message: 'method not found' };
        self.say({ jsonrpc: '2.0', id: waiting[0].id, error });
        self.say(
          result(message, {
            protocolVersion: LEGACY,
            capabilities: { tools: {} },
            serverInfo: { name: 'slow', version: '1' },
          }),
        );
      } else if (message.method === 'tools/call') self.say(text(message, 'fine'));
    });
    const client = await connect(pipe, { probeTimeoutMs: 20 });
    onTestFinished(() => client.close());
    expect(client.revision).toBe(LEGACY);
    await expectUsable(client);
  });

  test('that goes away fails what is under way at once, and all that follows', async () => {
    const { client, pipe } = await connected(() => pipe.break(new ConnectionError('it crashed')));
    expect((await failure(client.callTool('odd'))).message).toBe('it crashed');
    expect(await failure(client.callTool('fine'))).toBeInstanceOf(ConnectionError);
  });

  test('that does not take messages fails calls at their time limit', async () => {
    const { client, pipe } = await connected(() => {});
    pipe.send = () => new Promise(() => {});
    expect(await failure(client.callTool('odd', {}, { timeoutMs: 50 }))).toBeInstanceOf(RequestTimeout);
  });

  test('floods without harm', async () => {
    let heard = 0;
    const { client } = await connected((message, pipe) => {
      const { progressToken } = message.params._meta;
      const progress = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 1 },
      };
      for (let n = 0; n < 100_000; n++) pipe.say(progress);
      pipe.say(text(message, 'done'));
    });
    await client.callTool('odd', {}, { onProgress: () => heard++ });
    expect(heard).toBe(100_000);
    await expectUsable(client);
  });
});

import { PassThrough, Writable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { type StdioOptions, serveStdio } from '../../src/node/server/stdio/index.js';
import { Server } from '../../src/server/index.js';
import { envelope } from '../http/modern-client.js';

/** The output to a client that reads nothing until it is told to. */
class Unread extends Writable {
  #text = '';
  #waiting: (() => void) | undefined;
  #isRead = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#text += chunk;
    if (this.#isRead) done();
    else this.#waiting = done;
  }

  read(): void {
    this.#isRead = true;
    this.#waiting?.();
  }

  /** The messages so far, without long answers. */
  get messages(): any[] {
    const lines = this.#text.split('\n').slice(0, -1);
    return lines.filter(line => line.length < 10_000).map(line => JSON.parse(line));
  }
}

function open(options: StdioOptions = {}) {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('cook', {}, () => 'x'.repeat(2 * 1024 ** 2));
  server.resource('menu://today', {}, () => 'Soup');
  const [input, output] = [new PassThrough(), new Unread()];
  const serving = serveStdio(server, { input, output, ...options });
  onTestFinished(() => serving.close(0));
  const send = (...messages: object[]) => {
    input.write(messages.map(message => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  };
  return { server, output, serving, send };
}

const cook = { id: 1, method: 'tools/call', params: { name: 'cook', _meta: envelope() } };
const listen = (notifications: object) => ({
  id: 2,
  method: 'subscriptions/listen',
  params: { notifications, _meta: envelope() },
});
const MENU = { resourceSubscriptions: ['menu://today'] };

const ACKNOWLEDGED = { method: 'notifications/subscriptions/acknowledged' };
const UPDATED = { method: 'notifications/resources/updated' };
const CANCELLED = { method: 'notifications/cancelled', params: { requestId: 2 } };
const RESULT = { id: 2, result: { resultType: 'complete' } };

it('a subscription with nothing to report is acknowledged first, also to a client that does not read', async () => {
  const { server, output, send } = open();
  let proceed = () => {};
  const isCooked = new Promise<void>(resolve => (proceed = resolve));
  server.use(async (call, next) => {
    if (call.method === 'subscriptions/listen') await isCooked;
    return next();
  });
  send(cook, listen({}));
  await expect.poll(() => output.writableLength).toBeGreaterThan(1024 ** 2);
  const before = output.writableLength;
  proceed();
  await expect.poll(() => output.writableLength).toBeGreaterThan(before);
  output.read();
  await expect.poll(() => output.messages).toHaveLength(3);
  expect(output.messages).toMatchObject([ACKNOWLEDGED, CANCELLED, RESULT]);
});

it('a server that closes sends the notices that wait, and nothing after the end of the subscription', async () => {
  const { server, output, serving, send } = open();
  const told: string[] = [];
  server.use({
    send(notification, next) {
      told.push(notification.method);
      next();
    },
  });
  send(listen(MENU));
  await expect.poll(() => output.messages).toHaveLength(1);
  send(cook);
  await expect.poll(() => output.writableLength).toBeGreaterThan(1024 ** 2);
  server.resourceChanged('menu://today');
  await expect.poll(() => told).toEqual([UPDATED.method]);
  const before = output.writableLength;
  const closed = serving.close();
  await expect.poll(() => output.writableLength).toBeGreaterThan(before);
  output.read();
  await closed;
  expect(output.messages).toMatchObject([ACKNOWLEDGED, UPDATED, CANCELLED, RESULT]);
});

it('a server that needs the memory of a subscription tells the client that it has ended', async () => {
  const { server, output, send } = open({ maxHeldBytes: 200_000 });
  server.tool('bake', { input: { type: 'object' } }, () => 'cake');
  output.read();
  const uris = Array.from({ length: 2000 }, (_, at) => `menu://${at}`);
  send(listen({ resourceSubscriptions: ['menu://today', ...uris] }));
  await expect.poll(() => output.messages).toMatchObject([ACKNOWLEDGED]);
  const params = { name: 'bake', arguments: { order: 'x'.repeat(100_000) }, _meta: envelope() };
  send({ ...cook, params });
  await expect.poll(() => output.messages.some(({ id }) => id === 1)).toBe(true);
  expect(output.messages).toMatchObject([ACKNOWLEDGED, CANCELLED, { id: 1, result: {} }]);
});

import { describe, expect, it } from 'vitest';
import { memoryOf } from '../faults/stdio-child.js';
import { ModernClient } from '../http/modern-client.js';
import { serve, serverWith } from '../http/serve.js';
import { accepted, askText, INVALID_STATE, serveAsking } from './asking.js';

const MIB = 1024 * 1024;

describe('a state', () => {
  it('with two answers has less than 600 bytes', async () => {
    const { call } = await serveAsking(async ctx => {
      await askText(ctx, 'What is your name?');
      await askText(ctx, 'Where do you live?');
      await askText(ctx, 'When will you come?');
      return 'done';
    });
    const second = await (await call()).answer({ 'What is your name?': 'Ada Lovelace' });
    const third = await second.answer({ 'Where do you live?': 'Ockham Park, Surrey' });
    expect(third.messages).toEqual(['When will you come?']);
    expect(third.state.length).toBeLessThan(600);
  });

  it('that has become too large is not sent: the error says what is in it', async () => {
    const noise = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');
    const { call } = await serveAsking(async ctx => {
      await ctx.step('read the table', () => noise(80_000));
      return askText(ctx, 'q');
    });
    expect((await call()).error).toEqual({
      code: -32603,
      message: expect.stringMatching(
        /^the state of this request has more than the limit of 65536 bytes; it contains results of ctx\.step and answers of the client: return less from steps, and ask for less$/,
      ),
      data: undefined,
    });
  });

  it('is compressed, so that much of the same fits', async () => {
    const { call } = await serveAsking(async ctx => {
      const rows = await ctx.step('read', () =>
        Array.from({ length: 5000 }, () => ({ name: 'Ada', paid: true })),
      );
      await askText(ctx, 'q');
      return `${rows.length} rows`;
    });
    const first = await call();
    expect(first.state.length).toBeLessThan(2000);
    expect((await first.answer({ q: 'A' })).text).toBe('5000 rows');
  });

  it('cannot be made to unpack into megabytes by an answer that compresses well', async () => {
    const { call } = await serveAsking(async ctx => {
      await askText(ctx, 'one');
      return askText(ctx, 'two');
    });
    const first = await call();
    const second = await first.respond({ q0: accepted({ text: 'a'.repeat(2 * MIB) }) });
    expect(second.error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^the state of this request has more than the limit of 262144 bytes/),
    });
  });

  it('of more than 64 KiB is refused unseen', async () => {
    const first = await (await serveAsking(ctx => askText(ctx, 'q'))).call();
    for (const size of [64 * 1024 + 1, MIB, 3 * MIB]) {
      expect((await first.retryWith('A'.repeat(size))).error).toEqual(INVALID_STATE);
    }
  });

  it('of 10 MB is refused before it is read, again and again, and memory does not grow', async () => {
    const { url } = await serve(
      serverWith(server => server.tool('ask', {}, (_args, ctx) => askText(ctx, 'q'))),
    );
    const client = new ModernClient(url);
    const requestState = 'A'.repeat(10 * MIB);
    const send = () => client.post('tools/call', { name: 'ask', arguments: {}, requestState });
    const statuses = new Set<number>();
    const outcome = () =>
      send().then(
        response => response.status,
        // The server hangs up without reading the rest; whether the answer is seen first depends on the network.
        () => 413,
      );
    for (let n = 0; n < 5; n++) statuses.add(await outcome());
    const before = memoryOf(process.pid).now;
    for (let n = 0; n < 20; n++) statuses.add(await outcome());
    expect([...statuses]).toEqual([413]);
    expect(memoryOf(process.pid).now - before).toBeLessThan(150 * MIB);
    expect((await client.call('ask')).error?.code).toBe(-32021);
  });
});

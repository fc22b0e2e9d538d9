import { Server } from 'tenon';
import { listen, type RunningHttpServer } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { freshKeys } from '../keys.js';
import { badProgram } from './servers.js';
import { KEY, Terminal } from './terminal.js';

const order = z.object({
  email: z.email().describe('Where the bill goes'),
  guests: z.number().int().min(1).max(8),
  wine: z.enum(['red', 'white']).default('white'),
  extras: z.array(z.enum(['bread', 'olives', 'candles'])).max(2),
  outside: z.boolean(),
  note: z.string().optional(),
});

/** A server that asks in every way. */
function createCounter(): Server {
  const server = new Server({ name: 'counter', version: '1.0.0' });
  server.tool(
    'order',
    { input: z.object({ dish: z.string(), times: z.number() }) },
    async ({ dish, times }, ctx) => {
      const answer = await ctx.elicit('What else?', order);
      return answer.action === 'accept'
        ? `${times} ${dish} ${JSON.stringify(answer.content)}`
        : answer.action;
    },
  );
  server.tool('both', {}, async (_, ctx) => {
    const name = z.object({ name: z.string() });
    const answers = await Promise.all([ctx.elicit('First name?', name), ctx.elicit('Last name?', name)]);
    return answers
      .map(answer => (answer.action === 'accept' ? answer.content.name : answer.action))
      .join(' ');
  });
  server.tool(
    'pay',
    {},
    async (_, ctx) => (await ctx.elicitUrl('Please pay.', 'https://pay.example/bill')).action,
  );
  server.tool('visit', {}, async (_, ctx) => {
    const page = 'https://bank.example@xn--pple-43d.example/bill';
    return (await ctx.elicitUrl('Please pay.', page)).action;
  });
  server.tool('bake', {}, async (_, ctx) => {
    ctx.progress(1, { total: 4, message: 'kneading' });
    await new Promise((_resolve, reject) =>
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)),
    );
    return 'never';
  });
  return server;
}

describe.concurrent.each(['2026-07-28', '2025-11-25'])('a dialogue in the terminal, in %s', revision => {
  let running: RunningHttpServer;
  beforeAll(async () => {
    running = await listen(createCounter(), { port: 0, keys: freshKeys() });
  });
  afterAll(() => running?.close());
  const call = (...args: string[]) => new Terminal(['call', running.url, ...args, '--revision', revision]);

  it('asks for missing arguments, then for each field of a form by its type', async () => {
    const terminal = call('order', '--dish', 'soup');
    await terminal.sees('times (number)');
    terminal.type(`two${KEY.enter}`);
    await terminal.sees('a number, please');
    terminal.type(`${KEY.backspace.repeat(3)}2${KEY.enter}`);
    await terminal.sees('asks: What else?');
    await terminal.sees('email: Where the bill goes (text, email)');
    terminal.type(`ada${KEY.enter}`);
    await terminal.sees('such as ada@example.com');
    terminal.type(`@example.com${KEY.enter}`);
    await terminal.sees('guests (integer, at least 1, at most 8)');
    terminal.type(`9${KEY.enter}`);
    await terminal.sees('at most 8, please');
    terminal.type(`${KEY.backspace}4${KEY.enter}`);
    await terminal.sees('● white');
    terminal.type(KEY.up);
    await terminal.sees('● red');
    terminal.type(KEY.enter);
    await terminal.sees('candles');
    terminal.type(KEY.space);
    await terminal.sees('◼ bread');
    terminal.type(KEY.enter);
    await terminal.sees('outside');
    terminal.type(`y`);
    await terminal.sees('note (text; optional)');
    terminal.type(KEY.enter);
    await terminal.sees('Send these answers?');
    terminal.type(KEY.enter);
    await terminal.sees('2 soup {');
    expect(await terminal.exited).toBe(0);
    expect(terminal.text).toMatch(
      /2 soup \{"email":"ada@example.com","guests":4,"wine":"red","extras":\["bread"\],"outside":true\}/,
    );
  });

  it('lets the user decline with Esc, and go on after it', async () => {
    const terminal = call('order', '--dish', 'soup', '--times', '1');
    await terminal.sees('email:');
    terminal.type(KEY.escape);
    await terminal.sees('Go on answering');
    terminal.type(KEY.enter);
    await terminal.sees('email:');
    terminal.type(KEY.escape);
    await terminal.sees('Go on answering');
    terminal.type(KEY.down);
    await terminal.sees('● Decline');
    terminal.type(KEY.enter);
    await terminal.sees('decline\n');
    expect(await terminal.exited).toBe(0);
  });

  it('asks questions that come together one after the other', async () => {
    const terminal = call('both');
    await terminal.sees('First name?');
    await terminal.sees('name (text)');
    terminal.type(`Ada${KEY.enter}`);
    await terminal.sees('Last name?');
    await terminal.sees('name (text)');
    terminal.type(`Lovelace${KEY.enter}`);
    await terminal.sees('Ada Lovelace');
    expect(await terminal.exited).toBe(0);
  });

  it('shows the address of a page, and opens nothing without a yes', async () => {
    const terminal = call('pay');
    await terminal.sees('https://pay.example/bill');
    await terminal.sees('● Decline');
    terminal.type(KEY.enter);
    await terminal.sees('decline\n');
    expect(await terminal.exited).toBe(0);
  });

  // covers: 2026-07-28/elicitation/suspicious-urls-are-warned-of, 2025-11-25/elicitation/suspicious-urls-are-warned-of
  it('warns of a page whose address looks like another one', async () => {
    const terminal = call('visit');
    await terminal.sees('(Punycode)');
    await terminal.sees('the part before the @ says nothing');
    await terminal.sees('● Decline');
    terminal.type(KEY.enter);
    expect(await terminal.exited).toBe(0);
  });

  it('ends with 130 at Ctrl+C in a question, with the cursor shown', async () => {
    const terminal = call('order', '--dish', 'soup', '--times', '1');
    await terminal.sees('email:');
    terminal.type(KEY.ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(terminal.raw.lastIndexOf('\x1b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\x1b[?25l'));
  });

  it('draws a bar for progress, and removes it at Ctrl+C', async () => {
    const terminal = call('bake');
    await terminal.sees('██████░░░░░░░░░░░░░░░░░░ 1/4 kneading');
    terminal.type(KEY.ctrlC);
    expect(await terminal.exited).toBe(130);
    expect(terminal.raw.replace('^C', '').trimEnd().endsWith('\r\x1b[2K')).toBe(true);
  });
});

it('proposes the defaults of a form of 2025-06-18', async () => {
  const terminal = new Terminal(['call', 'hello', ...badProgram('asks')]);
  await terminal.sees('asks: Who comes?');
  await terminal.sees('name (text; optional)');
  await terminal.sees('Ada');
  terminal.type(KEY.enter);
  await terminal.sees('guests (integer; optional)');
  await terminal.sees('4');
  terminal.type(KEY.enter);
  await terminal.sees('● white');
  terminal.type(KEY.enter);
  await terminal.sees('● Yes');
  terminal.type(KEY.enter);
  await terminal.sees('Send these answers?');
  terminal.type(KEY.enter);
  await terminal.sees('{"name":"Ada","guests":4,"wine":"white","outside":true}');
  expect(await terminal.exited).toBe(0);
});

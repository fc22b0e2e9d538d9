// One node of a studio, on the built package. It is killed often, so it loads ahead of time, and serves when it is told where.
// These are imported on demand otherwise.
import 'bullmq';
import '@redis/client';
import 'pg';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Server } from 'tenon';
import { bullmq } from 'tenon/bullmq';
import { listen } from 'tenon/node';
import { postgresCluster } from 'tenon/postgres';
import { redisCluster } from 'tenon/redis';
import { tasks } from 'tenon/tasks';
import { z } from 'zod';

const { STORE, ENGINE, KEY, LEDGER, LEASE_MS, TTL_MS } = process.env;
const leaseMs = Number(LEASE_MS);
const input = z.object({ order: z.string() });
let ledger;

process.once('disconnect', () => process.exit());
process.once('message', ({ port, number }) => void serve(port, number));
process.send?.('loaded');

async function serve(port, number) {
  ledger = openLedger(number);
  const cluster = STORE.startsWith('redis:')
    ? redisCluster({ url: STORE })
    : postgresCluster({ connectionString: STORE });
  const studio = tasks({
    cluster,
    ...(ENGINE === 'bullmq' && { engine: bullmq({ url: STORE, lockMs: leaseMs }) }),
    leaseMs,
    ttlMs: Number(TTL_MS),
    maxTasks: 1_000_000,
  });
  const server = new Server(
    { name: 'studio', version: '1.0.0' },
    { extensions: [studio], onError: report, onWarning: text => report(text, 'a warning') },
  );
  server.tool('film', { input, task: 'always' }, film);
  server.tool('clip', { input, task: { after: 20 } }, film);
  server.tool('order', { input }, (args, ctx) => follow(args, ctx, order));
  server.tool('pay', { input, refuseReplays: true }, (args, ctx) => follow(args, ctx, pay));
  server.tool('pay_once', { input }, (args, ctx) => follow(args, ctx, payOnce));

  await listen(server, {
    port,
    keys: [KEY],
    cluster,
    authenticate: ({ header }) => {
      const principal = header('authorization').replace('Bearer ', '');
      return { principal, subject: principal, scopes: [] };
    },
  });
  process.send('ready');
  // While the store is away this fails; the first request after that starts it again.
  await studio.start().catch(error => report(error, 'the start'));
}

function film(args, ctx) {
  return follow(args, ctx, async step => {
    const booked = await step('book');
    const hero = await ask(ctx, args, 'hero');
    const shot = await step('shoot');
    const scored = await step('score');
    const villain = await ask(ctx, args, 'villain');
    const cut = await step('cut');
    return { hero, villain, steps: { book: booked, shoot: shot, score: scored, cut } };
  });
}

async function order(step, args, ctx) {
  const guest = await ask(ctx, args, 'guest');
  const written = await step('write');
  const host = await ask(ctx, args, 'host');
  const confirmed = await step('confirm');
  return { guest, host, steps: { write: written, confirm: confirmed } };
}

async function pay(step, args, ctx) {
  const payer = await ask(ctx, args, 'payer');
  return { payer, steps: { pay: await step('pay') } };
}

async function payOnce(step, args, ctx) {
  const payer = await ask(ctx, args, 'payer');
  await ctx.once();
  return { payer, steps: { pay: await step('pay') } };
}

/** Runs a handler, and writes down when it begins and ends, and what it does. */
async function follow({ order }, ctx, handle) {
  const attempt = crypto.randomUUID();
  ledger.send({ kind: 'begin', order, attempt });
  ctx.signal.addEventListener('abort', () => {
    ledger.send({ kind: 'stopped', order, attempt, reason: String(ctx.signal.reason?.message) });
  });
  const step = async name => {
    let hasRun = false;
    const value = await ctx.step(name, () => {
      hasRun = true;
      return ledger.enter({ kind: 'enter', order, attempt, step: name });
    });
    if (hasRun) ledger.send({ kind: 'kept', order, value });
    return value;
  };
  try {
    return JSON.stringify(await handle(step, { order }, ctx));
  } finally {
    ledger.send({ kind: 'end', order, attempt });
  }
}

async function ask(ctx, { order }, role) {
  const answer = await ctx.elicit(`${role} of ${order}`, z.object({ name: z.string() }));
  return answer.content.name;
}

/** The ledger is in the process of the test. */
function openLedger(node) {
  const socket = connect(Number(LEDGER), '127.0.0.1').setNoDelay(true);
  const waiting = new Map();
  let lastId = 0;
  const lines = createInterface({ input: socket }).on('line', line => {
    const [id, value] = line.split(' ').map(Number);
    waiting.get(id)(value);
    waiting.delete(id);
  });
  for (const source of [socket, lines]) source.on('error', () => process.exit(1));
  const send = line => socket.write(`${JSON.stringify(line)}\n`);
  send({ kind: 'node', node });
  return {
    send,
    enter(entry) {
      const id = ++lastId;
      send({ ...entry, id });
      return new Promise(resolve => waiting.set(id, resolve));
    },
  };
}

function report(error, where) {
  console.log(`${where}: ${error?.cause?.message ?? error?.message ?? error}`);
}

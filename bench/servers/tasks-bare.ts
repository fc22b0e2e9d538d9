/**
 * A server that queues a job of BullMQ for each message, answers with its id when it is queued, runs the jobs and stores
 * their results in Redis. It has no owners, leases, limits or questions. If the second argument is `awaited`, it also hears
 * of the end of each job, as a server must that tells its clients of it.
 */
import type { ServerResponse } from 'node:http';
import { createClient } from '@redis/client';
import { Job, Queue, QueueEvents, Worker } from 'bullmq';
import { keptMs } from '../scenarios.js';
import { respond, serveBodies } from './node-http.js';

const [, , url, name = 'polled'] = process.argv;
// A signal per command, the default of the client, costs more than the command; tenon/bullmq has none, either.
const connection = createClient({ url: url!, commandOptions: { timeout: undefined } as object });
const queue = new Queue(name, { connection });
const events = name === 'awaited' ? new QueueEvents(name, { connection }) : undefined;
// Each wait adds a listener.
queue.setMaxListeners(0);
events?.setMaxListeners(0);
const kept = { age: keptMs / 1000 };
const options = { attempts: 10, backoff: { type: 'exponential', delay: 1000 }, removeOnComplete: kept };
new Worker(name, async ({ data }) => ({ content: [{ type: 'text', text: data.message }] }), {
  connection,
  concurrency: 100,
  lockDuration: 15_000,
});
await events?.waitUntilReady();

serveBodies((body, response) => void answer(body, response));

async function answer(body: string, response: ServerResponse): Promise<void> {
  const { message, taskId } = JSON.parse(body) as { message?: string; taskId?: string };
  const result = taskId === undefined ? await create(message) : await look(taskId);
  respond(response, JSON.stringify({ result }));
}

async function create(message: string | undefined): Promise<object> {
  const { id } = await queue.add('echo', { message }, options);
  return { taskId: id };
}

async function look(taskId: string): Promise<object> {
  const job = await Job.fromId(queue, taskId);
  if (events) return { status: 'completed', result: await job?.waitUntilFinished(events) };
  const status = job?.finishedOn === undefined ? 'working' : 'completed';
  return { status, result: job?.returnvalue };
}

import type { Client, ClientMiddleware, TaskHandle } from 'tenon/client';
import { McpError } from 'tenon/client';
import { resumeTask } from 'tenon/tasks/client';
import { answerTo, isTemporary, isUnknownBeginning, kindOf, pauseAfter, readText } from './clients.js';
import type { Random } from './random.js';
import type { Report } from './report.js';

/** How many updates of tasks are sent twice: one of so many. */
const UPDATES_PER_REPEATED = 5;

/** What came out of the work on one order. */
export interface Outcome {
  readonly order: string;
  readonly result: Record<string, unknown>;
}

/**
 * Has a film made: a task with four steps and two questions. Until there is a handle, a call that fails is made again as a
 * new order; from then on the task has to end well. Returns undefined if it was given up, which is counted. Orders that a
 * busy server refused are collected, because nothing may have been done for them.
 */
export async function makeFilm(
  number: number,
  client: Client,
  refused: Set<string>,
  report: Report,
): Promise<Outcome | undefined> {
  // Some become tasks only while they run.
  const tool = number % 4 === 0 ? 'clip' : 'film';
  for (let attempt = 1; ; attempt++) {
    const order = `${tool}-${number}-${attempt}`;
    let handle: TaskHandle | undefined;
    const onTask = (task: TaskHandle) => {
      if (!handle) report.count('tasks: handles received');
      handle = task;
    };
    try {
      const result = await client.callTool(tool, { order }, { onTask });
      return { order, result: readText(result) };
    } catch (error) {
      if (handle) return goOn(order, handle, error, client, report);
      const kind = kindOf(error);
      report.count(`tasks: calls that failed before there was a handle, ${kind ?? 'untyped'}`);
      if (isTemporary(error) && error instanceof McpError) refused.add(order);
      if (!isTemporary(error) && !isUnknownBeginning(error)) {
        report.problem(`${order} failed before there was a handle: ${error}`);
        return undefined;
      }
      await pauseAfter(error);
    }
  }
}

/** Follows a task whose call has failed although the task goes on. */
async function goOn(
  order: string,
  handle: TaskHandle,
  failure: unknown,
  client: Client,
  report: Report,
): Promise<Outcome | undefined> {
  let error = failure;
  while (isTemporary(error)) {
    report.count(`tasks: calls that failed while the task went on, ${kindOf(error)}`);
    await pauseAfter(error);
    try {
      return { order, result: readText(await resumeTask(client, handle)) };
    } catch (again) {
      error = again;
    }
  }
  if (error instanceof McpError && error.message.startsWith('the task was given up')) {
    report.count('tasks: given up after five lost nodes');
    return undefined;
  }
  report.problem(`the task ${handle.taskId} of ${order} was accepted, and failed: ${error}`);
  return undefined;
}

/** Checks the result of a film against its order. */
export function checkFilm({ order, result }: Outcome, report: Report): void {
  for (const role of ['hero', 'villain'])
    if (result[role] !== answerTo(`${role} of ${order}`))
      report.problem(`${order} got a wrong answer: ${JSON.stringify(result)}`);
}

/** Sends some answers twice at the same time, at two nodes. */
export function repeatUpdates(random: Random, report: Report): ClientMiddleware {
  return async ({ method }, next) => {
    if (method !== 'tasks/update' || random.below(UPDATES_PER_REPEATED) > 0) return next();
    report.count('tasks: answers that were sent twice');
    const [one, other] = await Promise.allSettled([next(), next()]);
    if (one?.status === 'fulfilled') return one.value;
    if (other?.status === 'fulfilled') return other.value;
    throw one?.reason;
  };
}

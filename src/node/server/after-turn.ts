const NOTHING = Promise.resolve();

let tasks: (() => void)[] = [];

/**
 * Runs a task after the ticks and promises that are due now. Most requests are answered by then, also those of handlers
 * that are asynchronous and wait for nothing.
 */
export function afterTurn(task: () => void): void {
  // A tick that is requested by a promise's callback runs when no such callback is left.
  if (tasks.push(task) === 1) NOTHING.then(schedule);
}

function schedule(): void {
  process.nextTick(run);
}

function run(): void {
  const due = tasks;
  tasks = [];
  for (const task of due) task();
}

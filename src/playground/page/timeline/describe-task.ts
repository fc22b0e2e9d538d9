type Message = Readonly<Record<string, unknown>>;

/** What a result or a notification says about a task; undefined if it is about none. */
export function describeTask(described: Message): { title: string; detail: string } | undefined {
  // 2025-11-25 wraps the task that a call becomes.
  const task = isObject(described.task) ? described.task : described;
  const { taskId, status, statusMessage } = task;
  if (typeof taskId !== 'string' || typeof status !== 'string') return undefined;
  return { title: `task: ${status}`, detail: typeof statusMessage === 'string' ? statusMessage : '' };
}

function isObject(value: unknown): value is Message {
  return typeof value === 'object' && value !== null;
}

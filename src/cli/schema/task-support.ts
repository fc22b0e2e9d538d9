import type { Tool } from 'tenon/protocol';

/** Whether a tool can, must or must not be called as a task, as servers of 2025-11-25 tell; `forbidden` by default. */
export function taskSupportOf(tool: Tool): string {
  const execution: unknown = Reflect.get(tool, 'execution');
  const isObject = typeof execution === 'object' && execution !== null;
  return isObject ? String(Reflect.get(execution, 'taskSupport') ?? 'forbidden') : 'forbidden';
}

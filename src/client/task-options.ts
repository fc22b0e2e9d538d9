import { UsageError } from '../base/errors.js';

/** Throws if a client does not follow tasks, so that the options of a call about tasks would have no effect. */
export function checkFollowsTasks({ middleware }: { readonly middleware: readonly string[] }): void {
  if (!middleware.includes('io.modelcontextprotocol/tasks'))
    throw new UsageError('task and onTask need extensions: [tasksClient()] of tenon/tasks/client');
}

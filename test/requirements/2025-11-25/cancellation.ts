import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'cancellation/tasks-are-cancelled-by-request',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/cancellation',
    text: 'A task is cancelled with `tasks/cancel`, not with a notification.',
  },
] satisfies readonly Requirement[];

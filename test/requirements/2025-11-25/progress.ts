import type { Requirement } from '../requirement.js';

export default [
  {
    id: 'progress/tasks-keep-their-token',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'The progress token of a task is good until the task has ended.',
  },
  {
    id: 'progress/task-progress-has-the-same-token',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'Progress of a task has the token of the request that began it.',
    notTested: 'A task of Tenon sends no progress: its progress is its status message.',
  },
  {
    id: 'progress/task-progress-stops',
    level: 'MUST',
    of: 'both',
    page: '/basic/utilities/progress',
    text: 'Progress of a task stops when the task has ended.',
    notTested: 'A task of Tenon sends no progress: its progress is its status message.',
  },
] satisfies readonly Requirement[];

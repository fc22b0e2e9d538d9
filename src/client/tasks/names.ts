/** The id of the tasks extension. */
export const TASKS_ID = 'io.modelcontextprotocol/tasks';

/** The key of `_meta` that says which task a message belongs to, in the tasks of 2025-11-25. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task';

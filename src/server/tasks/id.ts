/** The id of the extension. */
export const TASKS_ID = 'io.modelcontextprotocol/tasks';

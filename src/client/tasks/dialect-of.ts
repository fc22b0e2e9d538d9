import { NotSupported } from '../../protocol/failures.js';
import { TASKS_ID } from '../../protocol/task.js';
import type { Client } from '../client.js';
import { CORE_DIALECT } from './core-dialect.js';
import type { ServerDialect } from './dialect.js';
import { EXTENSION_DIALECT } from './extension-dialect.js';
import { taskCapabilities } from './task-support.js';

/** How the server of a client speaks about tasks. Throws `NotSupported` if it declares none. */
export function dialectOf({ server }: Client): ServerDialect {
  if (taskCapabilities(server)) return CORE_DIALECT;
  if (server.extension(TASKS_ID)) return EXTENSION_DIALECT;
  throw new NotSupported('this server has no tasks', `extensions.${TASKS_ID}`);
}

import { NotSupported } from '../../protocol/failures.js';
import type { Client } from '../client.js';
import { CORE_DIALECT } from './core-dialect.js';
import type { TaskDialect } from './dialect.js';
import { EXTENSION_DIALECT } from './extension-dialect.js';
import { TASKS_ID } from './names.js';
import { taskCapabilities } from './task-support.js';

/** The revision whose core has tasks. Older ones have none, whatever a server declares; newer ones have the extension. */
const CORE_REVISION = '2025-11-25';

/** How the server of a client speaks about tasks. Throws `NotSupported` if it does not. */
export function dialectOf({ server, revision }: Client): TaskDialect {
  if (revision < CORE_REVISION) throw new NotSupported(`there are no tasks in revision ${revision}`);
  if (revision === CORE_REVISION) {
    if (taskCapabilities(server)) return CORE_DIALECT;
    throw new NotSupported('this server has no tasks', 'tasks');
  }
  if (server.extension(TASKS_ID)) return EXTENSION_DIALECT;
  throw new NotSupported('this server has no tasks', `extensions.${TASKS_ID}`);
}

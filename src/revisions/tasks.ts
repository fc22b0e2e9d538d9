import { isObject, type JsonObject } from '../base/json.js';
import { TASKS_ID } from '../protocol/task.js';
import type { Agreement, Obstacle } from './agreement.js';
import { findRevision } from './index.js';

/** How a revision knows tasks: as a part of its own, or as an extension. */
export type TaskDialect = 'core' | 'extension';

/** How a revision knows tasks; undefined if it does not. */
export function taskDialect(revision: string): TaskDialect | undefined {
  if (revision === '2025-11-25') return 'core';
  return findRevision(revision)?.era === 'modern' ? 'extension' : undefined;
}

/** The capabilities that messages of clients about tasks need, by dialect. */
const NEEDS: Readonly<Record<TaskDialect, ReadonlyMap<string, string>>> = {
  core: new Map([
    ['tools/call', 'tasks.requests.tools.call'],
    ['tasks/get', 'tasks'],
    ['tasks/result', 'tasks'],
    ['tasks/list', 'tasks.list'],
    ['tasks/cancel', 'tasks.cancel'],
    ['notifications/tasks/status', 'tasks'],
  ]),
  extension: new Map([
    ['tasks/get', `extensions.${TASKS_ID}`],
    ['tasks/cancel', `extensions.${TASKS_ID}`],
    ['tasks/update', `extensions.${TASKS_ID}`],
  ]),
};

/**
 * Why a client must not send a message about tasks; undefined if it may, or the message is about something else. An author
 * who makes an extension may give its methods the same names.
 */
export function whyNoTask(agreement: Agreement, method: string, params: JsonObject): Obstacle | undefined {
  if (method === 'tools/call' && params.task === undefined) return undefined;
  if (agreement.claims?.messages.has(method) || !(NEEDS.core.has(method) || NEEDS.extension.has(method)))
    return undefined;
  const { revision, client, server } = agreement;
  const what = method === 'tools/call' ? 'a call as a task' : method;
  const dialect = taskDialect(revision.name);
  const capability = dialect && NEEDS[dialect].get(method);
  // On revisions that do not have it, this name is free.
  if (method === 'tasks/update' && dialect !== 'extension') return undefined;
  if (capability === undefined)
    return { message: `a client cannot send ${what} in revision ${revision.name}` };
  // A client tells the state of tasks that it runs itself.
  const side = method.startsWith('notifications/') ? 'client' : 'server';
  const declared = side === 'client' ? client : server;
  if (!declared || declares(declared as JsonObject, capability)) return undefined;
  const message = `${what} needs the ${side} capability "${capability}", which this ${side} did not declare`;
  return { message, missing: { side, capability } };
}

function declares(capabilities: JsonObject, capability: string): boolean {
  // The id of an extension contains dots.
  const path = capability.startsWith('extensions.') ? ['extensions', TASKS_ID] : capability.split('.');
  let part: unknown = capabilities;
  for (const name of path) part = isObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
  return isObject(part);
}

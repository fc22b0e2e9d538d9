import { isObject, type JsonObject } from '../../base/json.js';
import type { Result } from '../../protocol/call.js';
import type { TaskMode } from '../../protocol/task.js';
import { taskDialect } from '../../revisions/tasks.js';
import type { MiddlewareCall, Next } from '../middleware.js';
import { canList } from './owner.js';

/**
 * Tells clients of 2025-11-25 what they can do with tasks: in the capabilities, and for each tool. The newest revision
 * has the settings of the extension instead.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#capabilities
 */
export async function declareTasks(
  call: MiddlewareCall,
  next: Next,
  modeOf: (tool: unknown) => TaskMode | undefined,
): Promise<Result> {
  const result = (await next()) as JsonObject;
  if (taskDialect(call.revision) !== 'core') return result;
  if (call.method === 'initialize') return withCapability(result, canList(call));
  if (!Array.isArray(result.tools)) return result;
  return { ...result, tools: result.tools.map(tool => withSupport(tool as JsonObject, modeOf)) };
}

function withCapability(result: JsonObject, lists: boolean): JsonObject {
  const tasks = { ...(lists && { list: {} }), cancel: {}, requests: { tools: { call: {} } } };
  const capabilities = isObject(result.capabilities) ? result.capabilities : {};
  return { ...result, capabilities: { ...capabilities, tasks } };
}

function withSupport(tool: JsonObject, modeOf: (tool: unknown) => TaskMode | undefined): JsonObject {
  const mode = modeOf(tool.name);
  if (mode === undefined || mode === 'never') return tool;
  return { ...tool, execution: { taskSupport: mode === 'always' ? 'required' : 'optional' } };
}

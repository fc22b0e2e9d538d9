import { isObject, type JsonObject } from '../../base/json.js';
import type { CallContext } from '../extension.js';
import type { ServerDescription } from '../link.js';
import { readAllPages } from '../pages.js';

/** What a server of 2025-11-25 declares about tasks; undefined if it has none. */
export function taskCapabilities({ capabilities }: ServerDescription): JsonObject | undefined {
  const { tasks } = capabilities as JsonObject;
  return isObject(tasks) ? tasks : undefined;
}

/** Whether a server lets clients ask for tasks when they call tools. */
export function runsToolsAsTasks(server: ServerDescription): boolean {
  const requests = taskCapabilities(server)?.requests;
  const tools = isObject(requests) ? requests.tools : undefined;
  return isObject(tools) && tools.call !== undefined;
}

/** Which tools of a server can or must run as tasks, as `execution.taskSupport` of each says. */
export class TaskSupport {
  #listed: Promise<ReadonlyMap<string, unknown>> | undefined;

  /** Lists the tools, if that was not done before. */
  async of(call: CallContext): Promise<unknown> {
    this.#listed ??= list(call).catch(error => {
      this.#listed = undefined;
      throw error;
    });
    return (await this.#listed).get(call.params.name as string);
  }

  /** Has the tools listed again: the server refused a call because it was a task, or was none. */
  forget(): void {
    this.#listed = undefined;
  }
}

async function list(call: CallContext): Promise<ReadonlyMap<string, unknown>> {
  const tools = await readAllPages<unknown>('tools/list', async cursor => {
    const page = await call.request('tools/list', cursor === undefined ? {} : { cursor }, {
      signal: undefined,
    });
    return { entries: Array.isArray(page.tools) ? page.tools : [], nextCursor: page.nextCursor };
  });
  return new Map(
    tools
      .filter(isObject)
      .map(({ name, execution }) => [
        name as string,
        isObject(execution) ? execution.taskSupport : undefined,
      ]),
  );
}

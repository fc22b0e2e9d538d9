import type { AppClient } from 'tenon/apps/host';
import { ERROR, McpError } from 'tenon/protocol';
import type { PageProblem } from '../../api.js';
import { command, problemOf } from '../backend.js';
import { resourcesOn, toolsOn } from '../state/catalog.js';
import { nameAppCall, type Run } from '../state/runs.js';

/** The client of an app: its requests go to the server through the process, as those of the user do. */
export function clientFor(run: Run): AppClient {
  const { connection } = run;
  return {
    tools: () => toolsOn(connection),
    resources: () => resourcesOn(connection),
    async request(method, params, { signal }) {
      const call = nameAppCall(run);
      const cancel = () => void command('cancel', { call });
      signal?.addEventListener('abort', cancel);
      try {
        return await command('request', { connection, call, method, params: { ...params } });
      } catch (error) {
        throw errorOf(problemOf(error));
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
  };
}

/** An app gets the errors of its server as they are. */
function errorOf({ code = ERROR.internal, message, data }: PageProblem): McpError {
  return new McpError(code, message, data);
}

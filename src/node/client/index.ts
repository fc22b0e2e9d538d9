import '../node-version.js';

import { createConnect } from '../../client/connect.js';
import { createConnectAll } from '../../client/connect-all.js';
import { locateCommand } from './process/locate.js';
import { createNodeSender } from './sender.js';

export {
  AccessError,
  AccessUnreachable,
  Cancelled,
  CannotConnect,
  Client,
  ClientGroup,
  ConnectionError,
  ERROR,
  HttpError,
  InvalidAnswer,
  isResourceNotFound,
  McpError,
  memoryCache,
  NotSupported,
  RequestTimeout,
  SignInRequired,
  TenonError,
  TooManyRounds,
  UsageError,
} from '../../client/index.js';

/**
 * Connects to a server, of any revision.
 *
 * @example
 * const client = await connect({ command: 'npx', args: ['some-mcp-server'] });
 */
export const connect = createConnect({
  createSender: createNodeSender,
  locateCommand,
});

/**
 * Connects to several servers at once, and prefixes the names of their tools and prompts.
 *
 * @example
 * const group = await connectAll({ files: { command: 'files-server' }, bistro: 'https://bistro.example/mcp' });
 * await group.callTool('files__read', { path: 'menu.txt' });
 */
export const connectAll = createConnectAll(connect);

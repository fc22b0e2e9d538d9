import { FastMCP, UserError } from 'fastmcp';

export { UserError };

const quiet = () => {};
export const server = new FastMCP({
  name: 'bistro',
  version: '1.0.0',
  logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
});

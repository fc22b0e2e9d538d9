import { FastMCP, UserError } from 'fastmcp';
import { z } from 'zod';

export { UserError };

const quiet = () => {};
export const server = new FastMCP({
  name: 'bistro',
  version: '1.0.0',
  logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
});
server.addTool({
  name: 'greet',
  parameters: z.object({ name: z.string() }),
  execute: async ({ name }) => `Hello ${name}`,
});

import { join } from 'node:path';
import type { Host } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://cursor.com/docs/context/mcp */
export const cursor: Host = {
  id: 'cursor',
  title: 'Cursor',
  files: ({ cwd, home }) => [join(cwd, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
  read: text => readMembers(text, 'mcpServers'),
  readServer: entry => readUsualServer(entry),
  writeSnippet: (name, server) => ({
    advice: 'Merge this into ~/.cursor/mcp.json, or into .cursor/mcp.json of a project:',
    text: toJson({ mcpServers: { [name]: writeUsualServer(server) } }),
  }),
};

import { join } from 'node:path';
import { configFolder, type Host } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://code.visualstudio.com/docs/copilot/reference/mcp-configuration */
export const vscode: Host = {
  id: 'vscode',
  title: 'VS Code',
  files: here => [
    join(here.cwd, '.vscode', 'mcp.json'),
    join(configFolder(here), 'Code', 'User', 'mcp.json'),
    join(configFolder(here), 'Code - Insiders', 'User', 'mcp.json'),
  ],
  read: text => readMembers(text, 'servers'),
  readServer: entry => readUsualServer(entry),
  writeSnippet: (name, server) => {
    const type = 'url' in server ? 'http' : 'stdio';
    return {
      advice: 'Merge this into .vscode/mcp.json, or run “MCP: Open User Configuration” and merge it there:',
      text: toJson({ servers: { [name]: { type, ...writeUsualServer(server) } } }),
    };
  },
};

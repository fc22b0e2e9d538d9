import { join } from 'node:path';
import type { Host } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://code.visualstudio.com/docs/agents/reference/mcp-configuration */
export const copilot: Host = {
  id: 'copilot',
  title: 'Copilot CLI',
  files: ({ home, env }) => [join(env.COPILOT_HOME || join(home, '.copilot'), 'mcp-config.json')],
  read: text => readMembers(text, 'mcpServers'),
  readServer: entry => readUsualServer(entry),
  writeSnippet: (name, server) => {
    const type = 'url' in server ? 'http' : 'local';
    return {
      advice: 'Merge this into ~/.copilot/mcp-config.json:',
      text: toJson({ mcpServers: { [name]: { type, ...writeUsualServer(server), tools: ['*'] } } }),
    };
  },
};

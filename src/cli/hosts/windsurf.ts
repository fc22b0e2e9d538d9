import { join } from 'node:path';
import type { Host } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://docs.windsurf.com/windsurf/cascade/mcp */
export const windsurf: Host = {
  id: 'windsurf',
  title: 'Windsurf',
  files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
  read: text => readMembers(text, 'mcpServers'),
  readServer: entry => readUsualServer(entry, ['serverUrl', 'url']),
  writeSnippet: (name, server) => {
    const { url, ...rest } = writeUsualServer(server);
    const entry = url === undefined ? rest : { serverUrl: url, ...rest };
    return {
      advice: 'Merge this into ~/.codeium/windsurf/mcp_config.json:',
      text: toJson({ mcpServers: { [name]: entry } }),
    };
  },
};

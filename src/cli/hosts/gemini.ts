import { join } from 'node:path';
import type { Host } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://geminicli.com/docs/tools/mcp-server/ */
export const gemini: Host = {
  id: 'gemini',
  title: 'Gemini CLI',
  files: ({ cwd, home }) => [join(cwd, '.gemini', 'settings.json'), join(home, '.gemini', 'settings.json')],
  read: text => readMembers(text, 'mcpServers'),
  readServer: entry => readUsualServer(entry, ['httpUrl', 'url']),
  writeSnippet: (name, server) => {
    // Its `url` is for HTTP+SSE.
    const { url, ...rest } = writeUsualServer(server);
    const entry = url === undefined ? rest : { httpUrl: url, ...rest };
    return {
      advice: 'Merge this into ~/.gemini/settings.json, or into .gemini/settings.json of a project:',
      text: toJson({ mcpServers: { [name]: entry } }),
    };
  },
};

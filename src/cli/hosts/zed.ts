import { join } from 'node:path';
import { configFolder, type Host, type Surroundings } from './host.js';
import { readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://zed.dev/docs/ai/mcp */
export const zed: Host = {
  id: 'zed',
  title: 'Zed',
  files: here => [join(here.cwd, '.zed', 'settings.json'), join(userFolder(here), 'settings.json')],
  read: text => readMembers(text, 'context_servers'),
  readServer: entry => readUsualServer(entry),
  writeSnippet: (name, server) => ({
    advice: 'Merge this into the settings of Zed (“zed: open settings file”):',
    text: toJson({ context_servers: { [name]: writeUsualServer(server) } }),
  }),
};

/** On macOS, too, it is the folder of Unix programs. */
function userFolder(here: Surroundings): string {
  if (here.platform === 'win32') return join(configFolder(here), 'Zed');
  return join(here.env.XDG_CONFIG_HOME || join(here.home, '.config'), 'zed');
}

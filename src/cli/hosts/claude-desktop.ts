import { join } from 'node:path';
import { configFolder, type Host, type HostedServer } from './host.js';
import { hasMembers, readMembers, readUsualServer, toJson, writeUsualServer } from './json-configuration.js';

/** @see https://modelcontextprotocol.io/docs/develop/connect-local-servers */
export const claudeDesktop: Host = {
  id: 'claude',
  title: 'Claude Desktop',
  files: here => [join(configFolder(here), 'Claude', 'claude_desktop_config.json')],
  read: text => readMembers(text, 'mcpServers'),
  readServer: readUsualServer,
  writeSnippet: (name, server) => ({
    advice:
      'Merge this into claude_desktop_config.json (Settings, Developer, Edit Config), and restart Claude Desktop:',
    text: toJson({ mcpServers: { [name]: writeUsualServer(startedLocally(server)) } }),
  }),
};

/** The file knows only programs, so that a bridge has to reach a URL. */
function startedLocally(server: HostedServer): HostedServer {
  if (!('url' in server)) return server;
  const headers = Object.entries(server.headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]);
  const args = ['-y', 'mcp-remote', server.url, ...(hasMembers(server.headers) ? headers : [])];
  return { command: 'npx', args, env: {} };
}

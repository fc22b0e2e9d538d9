import { join } from 'node:path';
import { parse, stringify } from 'smol-toml';
import { isObject } from '../is-object.js';
import type { Host, HostedServer } from './host.js';
import { hasMembers, readTexts, readUsualServer, writeUsualServer } from './json-configuration.js';

/** @see https://developers.openai.com/codex/mcp */
export const codex: Host = {
  id: 'codex',
  title: 'Codex',
  files: ({ cwd, home, env }) => [
    join(cwd, '.codex', 'config.toml'),
    join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
  ],
  read: text => {
    const { mcp_servers: servers } = parse(text);
    return new Map(isObject(servers) ? Object.entries(servers) : []);
  },
  readServer: entry => {
    const server = readUsualServer(entry);
    return server && 'url' in server ? { ...server, headers: readHeaders(entry) } : server;
  },
  writeSnippet: (name, server) => ({
    advice: 'Add this to ~/.codex/config.toml:',
    text: stringify({ mcp_servers: { [name]: writeServer(server) } }).trimEnd(),
  }),
};

/** Headers as they are, and headers whose values are in environment variables. */
function readHeaders(entry: unknown): Record<string, string> {
  if (!isObject(entry)) return {};
  const fromEnv = Object.entries(readTexts(entry.env_http_headers)).map(([name, variable]) => [
    name,
    `\${${variable}}`,
  ]);
  const token = entry.bearer_token_env_var;
  return {
    ...readTexts(entry.http_headers),
    ...Object.fromEntries(fromEnv),
    ...(typeof token === 'string' && { Authorization: `Bearer \${${token}}` }),
  };
}

function writeServer(server: HostedServer): Record<string, unknown> {
  if (!('url' in server)) return writeUsualServer(server);
  return { url: server.url, ...(hasMembers(server.headers) && { http_headers: server.headers }) };
}

import { join } from 'node:path';
import { quoteWord } from '../terminal/shell-words.js';
import type { Host, HostedServer } from './host.js';
import { readMembers, readUsualServer } from './json-configuration.js';

/** @see https://code.claude.com/docs/en/mcp */
export const claudeCode: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  files: ({ cwd, home, env }) => [
    join(cwd, '.mcp.json'),
    join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  ],
  // The file in the home folder has servers for all folders, and for this folder alone.
  read: (text, { cwd }) =>
    new Map([...readMembers(text, 'mcpServers'), ...readMembers(text, 'projects', cwd, 'mcpServers')]),
  readServer: entry => readUsualServer(entry),
  writeSnippet: (name, server) => ({ advice: 'Run this:', text: addCommand(name, server) }),
};

function addCommand(name: string, server: HostedServer): string {
  const words =
    'url' in server
      ? ['--transport', 'http', ...pairs('--header', server.headers, ': '), name, server.url]
      : [...pairs('--env', server.env, '='), name, '--', server.command, ...server.args];
  return ['claude', 'mcp', 'add', ...words].map(quoteWord).join(' ');
}

function pairs(flag: string, values: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(values).flatMap(([name, value]) => [flag, `${name}${between}${value}`]);
}

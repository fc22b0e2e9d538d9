import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../programs/program.js';
import { cleanEnv, ROOT, tenon } from './run.js';
import { useBistro } from './servers.js';

const home = mkdtempSync(join(tmpdir(), 'tenon-hosts-'));
const project = join(home, 'project');
afterAll(() => rmSync(home, { recursive: true }));

function write(path: string, content: unknown): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

const run = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  tenon(args, { cwd: project, env: { ...cleanEnv(home), ...env } });

const STDIO = {
  command: process.execPath,
  args: [program(join(ROOT, 'examples/bistro/stdio.ts'))],
  cwd: ROOT,
};

describe.concurrent('servers in the configuration of hosts', () => {
  const bistro = useBistro();

  beforeAll(() => {
    const { url } = bistro;
    const config = process.platform === 'darwin' ? 'Library/Application Support' : '.config';
    mkdirSync(project, { recursive: true });
    write(`${config}/Claude/claude_desktop_config.json`, {
      mcpServers: { desk: STDIO, broken: { nothing: 1 } },
    });
    write('.claude.json', {
      mcpServers: { anywhere: { type: 'http', url: '${BISTRO_URL}' } },
      projects: { [project]: { mcpServers: { here: { type: 'http', url } } } },
    });
    write('project/.mcp.json', { mcpServers: { shared: { type: 'http', url: `\${NOT_SET:-${url}}` } } });
    write('.cursor/mcp.json', { mcpServers: { bistro: { url, headers: { 'X-Key': '${env:SECRET}' } } } });
    write(
      `${config}/Code/User/mcp.json`,
      `{ // with comments\n "servers": { "code": { "type": "http", "url": "${url}" }, "asks": { "type": "http", "url": "\${input:address}" }, }, }`,
    );
    write(
      '.codex/config.toml',
      `[mcp_servers.codexed]\nurl = "${url}"\nbearer_token_env_var = "CODEX_TOKEN"\n`,
    );
    write('.codeium/windsurf/mcp_config.json', { mcpServers: { surf: { serverUrl: url } } });
    write('.gemini/settings.json', { mcpServers: { twin: { httpUrl: url } } });
    write('.copilot/mcp-config.json', {
      mcpServers: { bistro: { type: 'http', url: 'http://127.0.0.1:9/other' } },
    });
    write('.config/zed/settings.json', 'not { json');
  });

  it('are listed with their hosts, without secrets', async () => {
    const { code, stdout, stderr } = await run(['list'], { SECRET: 'hush' });
    expect(code).toBe(0);
    for (const name of [
      'claude:desk',
      'claude-code:anywhere',
      'claude-code:here',
      'claude-code:shared',
      'cursor:bistro',
      'vscode:code',
      'codex:codexed',
      'windsurf:surf',
      'gemini:twin',
      'copilot:bistro',
    ]) {
      expect(stdout).toContain(name);
    }
    expect(stdout).not.toMatch(/hush|X-Key|broken/);
    expect(stderr).toMatch(/zed\/settings\.json cannot be read: .* in line 1/);
  });

  it('are listed as JSON', async () => {
    const { servers } = JSON.parse((await run(['list', '--json'])).stdout);
    expect(servers).toContainEqual({
      name: 'twin',
      host: 'gemini',
      file: join(home, '.gemini/settings.json'),
      url: bistro.url,
    });
    expect(servers[0]).toMatchObject({ name: 'desk', host: 'claude', command: process.execPath });
  });

  it.each([
    ['a program of Claude Desktop', 'desk', {}],
    ['a variable of the environment', 'anywhere', { BISTRO_URL: 'set below' }],
    ['this folder alone', 'here', {}],
    ['a default for a variable', 'shared', {}],
    ['a header with a variable', 'cursor:bistro', { SECRET: 'hush' }],
    ['comments', 'code', {}],
    ['TOML and a token', 'codexed', { CODEX_TOKEN: 'hush' }],
    ['a serverUrl', 'surf', {}],
    ['an httpUrl', 'twin', {}],
  ])('are reached by name: %s', async (_, name, env) => {
    const { code, stdout, stderr } = await run(['list', name, 'prompts', '--json'], {
      ...env,
      BISTRO_URL: bistro.url,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).prompts).toHaveLength(3);
  });

  it.each([
    ['a name that several hosts give to different servers', 'bistro', 'cursor:bistro, copilot:bistro'],
    ['a variable that is not set', 'codexed', 'CODEX_TOKEN=… tenon'],
    ['an input that only the host asks for', 'asks', 'Give the target itself'],
    ['a name that is misspelled', 'twinn', 'Did you mean "twin"?'],
    ['a file', './server.js', 'Start it as a program: -- node ./server.js'],
    ['TypeScript', './server.ts', 'Start it as a program: -- npx tenon dev ./server.ts --stdio'],
    ['a script', './server.py', 'Start it as a program: -- python ./server.py'],
    ['an address without its scheme', 'localhost:3000/mcp', 'http://localhost:3000/mcp'],
  ])('are not guessed for %s', async (_, name, advice) => {
    const { code, stderr } = await run(['list', name]);
    expect(code).toBe(2);
    expect(stderr.split('next: ')[1]).toContain(advice.split(', ')[0]);
  });

  it('are the same files after every command', async () => {
    const before = readFileSync(join(home, '.cursor/mcp.json'), 'utf8');
    await run(['config', 'surf', '--for', 'cursor']);
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toBe(before);
  });
});

describe.concurrent('tenon config', () => {
  const snippet = async (...args: string[]) => {
    const { code, stdout, stderr } = await tenon(['config', ...args], { env: { SECRET: 'hush' } });
    expect(code).toBe(0);
    expect(stderr).not.toBe('');
    expect(stdout).not.toContain('hush');
    return stdout;
  };
  const URL = 'https://bistro.example/mcp';
  const PROGRAM = ['--', 'node', 'examples/bistro/stdio.ts', '--port', '1'];
  const FILE = join(ROOT, 'examples/bistro/stdio.ts');

  it.each([
    ['claude', { mcpServers: { bistro: { command: 'npx', args: ['-y', 'mcp-remote', URL] } } }],
    ['cursor', { mcpServers: { bistro: { url: URL } } }],
    ['vscode', { servers: { bistro: { type: 'http', url: URL } } }],
    ['windsurf', { mcpServers: { bistro: { serverUrl: URL } } }],
    ['gemini', { mcpServers: { bistro: { httpUrl: URL } } }],
    ['copilot', { mcpServers: { bistro: { type: 'http', url: URL, tools: ['*'] } } }],
    ['zed', { context_servers: { bistro: { url: URL } } }],
  ])('prints a URL for %s', async (host, expected) => {
    expect(JSON.parse(await snippet(URL, '--for', host))).toEqual(expected);
  });

  it('prints a program with absolute paths, and only the variables that the user names', async () => {
    const text = await snippet('--for', 'cursor', '--env', 'KEY=1', ...PROGRAM);
    expect(JSON.parse(text)).toEqual({
      mcpServers: { stdio: { command: 'node', args: [FILE, '--port', '1'], env: { KEY: '1' } } },
    });
  });

  it('prints TOML for codex and a command for claude-code', async () => {
    expect(await snippet('--for', 'codex', '--name', 'bistro', ...PROGRAM)).toBe(
      `[mcp_servers.bistro]\ncommand = "node"\nargs = [ "${FILE}", "--port", "1" ]\n`,
    );
    expect(await snippet('--for', 'claude-code', '--header', 'X-Key: a b', URL)).toBe(
      `claude mcp add --transport http --header 'X-Key: a b' bistro ${URL}\n`,
    );
  });

  it('names the hosts it knows if the user names none of them', async () => {
    const { code, stderr } = await tenon(['config', URL, '--for', 'emacs']);
    expect(code).toBe(2);
    expect(stderr).toContain('claude, claude-code, cursor, vscode, codex');
  });
});

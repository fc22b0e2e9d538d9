import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../interop-client/until.js';
import { program } from '../programs/program.js';
import { ROOT } from './bistro.js';
import { CLIENT_INFO } from './host.js';

describe('the bistro over HTTP', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = startDemo('0');
    await until(() => expect(demo.stdout).toContain('Add it to a host'));
  });
  afterAll(() => demo.child.kill());

  test('prints a curl line that works', async () => {
    const curl = /^ {2}curl .*$/m.exec(demo.stdout)?.[0] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', curl]);
    const { result } = JSON.parse(stdout);
    expect(result.tools.map((tool: { name: string }) => tool.name)).toContain('cook');
  });

  test('says on standard error what it was asked and how long that took', async () => {
    await until(() => expect(demo.stderr).toMatch(/^2026-07-28 {2}tools\/list {2}[\d.]+ ms$/m));
  });

  test('prints how a host can start the bistro from anywhere', async () => {
    const [command = '', ...args] =
      /claude mcp add bistro -- (.*)$/m.exec(demo.stdout)?.[1]?.split(' ') ?? [];
    const transport = new StdioClientTransport({ command, args, cwd: tmpdir(), stderr: 'pipe' });
    let stderr = '';
    transport.stderr?.on('data', chunk => (stderr += chunk));
    const client = new Client(CLIENT_INFO);
    await client.connect(transport);
    await client.callTool({ name: 'ring_bell' });
    await until(() => expect(stderr).toMatch(/^2025-11-25 {2}tools\/call {2}ring_bell {2}[\d.]+ ms$/m));
    await client.close();
  });

  test('says what to do when the port is taken', async () => {
    const port = /127\.0\.0\.1:(\d+)/.exec(demo.stdout)?.[1] ?? '';
    const late = startDemo(port);
    const [code] = await once(late.child, 'close');
    expect(code).toBe(1);
    expect(late.stdout).toBe('');
    expect(late.stderr).toMatch(/the port is taken/);
    expect(late.stderr).toMatch(/PORT=\d+/);
    expect(late.stderr).not.toMatch(/^\s+at /m);
  });

  test('closes on Ctrl+C', async () => {
    demo.child.kill('SIGINT');
    const [code] = await once(demo.child, 'close');
    expect(code).toBe(0);
  });
});

interface Demo {
  readonly child: ChildProcess;
  readonly stdout: string;
  readonly stderr: string;
}

function startDemo(port: string): Demo {
  const child = spawn(process.execPath, [program('examples/bistro/main.ts')], {
    cwd: ROOT,
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const demo = { child, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', chunk => (demo.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', chunk => (demo.stderr += chunk));
  return demo;
}

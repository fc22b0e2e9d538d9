import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'tenon/client';
import { expect, it, onTestFinished } from 'vitest';
import { tenon } from './run.js';
import { projectWith, type RunningCommand, start } from './running.js';
import { KEY, Terminal } from './terminal.js';

const SERVER = `import { Server } from 'tenon';
import { greet } from './greet.js';

const server: Server = new Server({ name: 'greeter', version: '1.0.0' });
server.tool('greet', {}, () => greet('Ada'));
export default server;
`;

function greeting(word: string): string {
  return `export function greet(name: string): string {\n  return \`${word} \${name}\`;\n}\n`;
}

interface Dev {
  readonly command: RunningCommand;
  readonly folder: string;
  readonly url: string;
  readonly page: string;
}

async function startDev(files: Readonly<Record<string, string>> = {}): Promise<Dev> {
  const folder = await projectWith({ 'server.ts': SERVER, 'greet.ts': greeting('Hello'), ...files });
  const command = start(['dev', 'server.ts', '--port', '0', '--no-open', '--json'], { cwd: folder });
  const { url, page } = await command.line(line =>
    line.event === 'listening' ? (line as { url: string; page: string }) : undefined,
  );
  return { command, folder, url, page };
}

/** Waits for the load with this number. */
function loaded(command: RunningCommand, number: number): Promise<Record<string, unknown>> {
  let count = 0;
  return command.line(line => {
    if (line.event === 'loaded') count += 1;
    return count === number ? line : undefined;
  });
}

it.each(['2025-06-18', '2026-07-28'])(
  'serves a saved change to a client of %s that stays connected and listens',
  async revision => {
    const { command, folder, url } = await startDev();
    const client = await connect(url, { revision });
    onTestFinished(() => client.close());
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'Hello Ada' }] });

    let isListening = () => {};
    const listening = new Promise<void>(resolve => {
      isListening = resolve;
    });
    const change = (async () => {
      for await (const { kind } of client.changes({ tools: true }, { onReady: () => isListening() }))
        return kind;
      return undefined;
    })();
    await listening;
    await writeFile(join(folder, 'greet.ts'), greeting('Bonjour'));
    expect(await change).toBe('tools');
    expect(await loaded(command, 2)).toEqual({ event: 'loaded', ms: expect.any(Number) });
    expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'Bonjour Ada' }] });
  },
);

it('shows an error with the line of the source that it comes from, and serves what it had', async () => {
  const { command, folder, url } = await startDev();
  const client = await connect(url);
  onTestFinished(() => client.close());
  await writeFile(
    join(folder, 'server.ts'),
    SERVER.replace('export default', 'server.tool(greet("x"));\nexport default'),
  );
  const { problem } = await loaded(command, 2);
  expect(problem).toContain(`at ${join(folder, 'server.ts')}:6`);
  expect(problem).toContain('> 6 | server.tool(greet("x"));');
  expect(await client.callTool('greet')).toMatchObject({ content: [{ text: 'Hello Ada' }] });

  await writeFile(join(folder, 'server.ts'), SERVER.replace('new Server(', 'new Server('.repeat(2)));
  expect((await loaded(command, 3)).problem).toMatch(/> \d+ \|/);

  await writeFile(join(folder, 'server.ts'), SERVER);
  // It may have been read before it was written to its end; then it is read again.
  const fourth = await loaded(command, 4);
  expect('problem' in fourth ? await loaded(command, 5) : fourth).not.toHaveProperty('problem');
});

it('tells the caller why a handler has thrown, and the author where', async () => {
  const thrower = SERVER.replace("() => greet('Ada')", '() => greet(undefined as never)');
  const { command, folder, url } = await startDev({
    'server.ts': `${thrower}server.resource('menu://today', {}, () => { throw new Error('no menu'); });\n`,
    'greet.ts': 'export function greet(name: string): string {\n  return name.trim();\n}\n',
  });
  const client = await connect(url);
  onTestFinished(() => client.close());
  expect(await client.callTool('greet')).toMatchObject({
    isError: true,
    content: [{ text: "Cannot read properties of undefined (reading 'trim')" }],
  });
  await expect(client.readResource('menu://today')).rejects.toThrow('no menu');
  await expect.poll(() => command.stderr).toContain('no menu');
  expect(command.stderr).toContain('tool "greet" failed: TypeError: Cannot read');
  expect(command.stderr).toContain(`at ${join(folder, 'greet.ts')}:2\n`);
  expect(command.stderr).toContain('> 2 |   return name.trim();');
  expect(command.stderr).toContain("> 7 | server.resource('menu://today'");
});

it('names files in stacks as their author does', async () => {
  const { url } = await startDev({
    'server.ts': SERVER.replace("() => greet('Ada')", "() => new Error('here').stack ?? ''"),
  });
  const { code, stdout } = await tenon(['call', url, 'greet']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\/server\.ts:5:\d+/);
  expect(stdout).not.toContain('tenon-load');
});

it('says in the terminal and to the page, also to one opened later, that a reload failed', async () => {
  const folder = await projectWith({ 'server.ts': SERVER, 'greet.ts': greeting('Hello') });
  const terminal = new Terminal(['dev', join(folder, 'server.ts'), '--port', '0', '--no-open']);
  await terminal.sees('page    ');
  await terminal.sees('Ctrl+C');
  const problem = '> 1 | export function greet(name: string) { return nam; } }';
  const [, origin, key] = /page +(http:\S+)\/#key=(\S+)/.exec(terminal.text) ?? [];
  const hear = async () => {
    const { body } = await fetch(`${origin}/api/events`, { headers: { authorization: `Bearer ${key}` } });
    let text = '';
    for await (const chunk of body ?? []) {
      text += Buffer.from(chunk).toString();
      const line = text.split('\n').find(one => one.endsWith('}') && one.includes(problem));
      if (line) return JSON.parse(line);
    }
  };
  const early = hear();
  // An editor may write a file in two steps, so that an empty one is loaded before.
  await writeFile(join(folder, 'greet.ts'), 'export function greet(name: string) { return nam; } }');
  await terminal.sees(problem);
  await terminal.sees('The last version that could be loaded is still served.');
  const notice = { type: 'reloaded', problem: expect.stringContaining(problem) };
  expect(await early).toEqual(notice);
  expect(await hear()).toEqual(notice);
  terminal.type(KEY.ctrlC);
  expect(await terminal.exited).toBe(0);
});

it('does not warn of missing keys: they last as long as the command', async () => {
  const { command, url } = await startDev();
  const client = await connect(url, { revision: '2025-06-18' });
  await client.callTool('greet');
  await client.close();
  expect(await command.end('SIGINT')).toBe(0);
  expect(command.stderr).toBe('');
});

it('waits for a file that cannot be loaded at first', async () => {
  const folder = await projectWith({ 'server.ts': 'export default nothing;', 'greet.ts': greeting('Hello') });
  const command = start(['dev', 'server.ts', '--port', '0', '--no-open', '--json'], { cwd: folder });
  expect((await loaded(command, 1)).problem).toContain('nothing is not defined');
  await writeFile(join(folder, 'server.ts'), SERVER);
  expect(await command.line(({ url }) => url)).toMatch(/^http:/);
});

it('goes on when a handler leaves an error unhandled', async () => {
  const thrower = SERVER.replace(
    "() => greet('Ada')",
    "() => { setTimeout(() => { throw new Error('late'); }); return 'ok'; }",
  );
  const { command, url } = await startDev({ 'server.ts': thrower });
  const client = await connect(url);
  onTestFinished(() => client.close());
  await client.callTool('greet');
  await expect.poll(() => command.stderr).toContain('late');
  expect(command.stderr).toContain('> 5 | server.tool');
  await client.callTool('greet');
});

it('serves the page, on this machine only', async () => {
  const { page } = await startDev();
  expect(page).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#key=.{20,}$/);
  const response = await fetch(page);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
});

it('ends on Ctrl+C', async () => {
  const { command } = await startDev();
  expect(await command.end('SIGINT')).toBe(0);
});

it('serves a saved page of an app without loading the server again, and tells the host', async () => {
  const folder = await projectWith({
    'server.ts': `import { Server } from 'tenon';
import { app } from 'tenon/apps';

const server = new Server({ name: 'bistro', version: '1.0.0' });
const startedAt = performance.now();
server.tool('chart', { ui: app('./chart.html') }, () => startedAt);
export default server;
`,
    'chart.html': '<!doctype html><p>one',
  });
  const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname;
  const client = await connect({
    command: process.execPath,
    args: [cli, 'dev', 'server.ts', '--stdio'],
    cwd: folder,
  });
  onTestFinished(() => client.close());
  const uri = 'ui://chart/view.html';
  expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: '<!doctype html><p>one' }] });
  const { content } = await client.callTool('chart');
  let change!: Promise<unknown>;
  await new Promise<void>(onReady => {
    const changes = client.changes({ resources: [uri] }, { onReady: () => onReady() });
    change = changes[Symbol.asyncIterator]().next();
  });
  await writeFile(join(folder, 'chart.html'), '<!doctype html><p>two');
  expect(await change).toMatchObject({ value: { kind: 'resource', uri } });
  expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: '<!doctype html><p>two' }] });
  expect((await client.callTool('chart')).content).toEqual(content);
});

it('serves over standard input and output for hosts that start it', async () => {
  const folder = await projectWith({ 'server.ts': SERVER, 'greet.ts': greeting('Hello') });
  const { code, stdout } = await tenon(
    [
      'list',
      '--',
      process.execPath,
      new URL('../../dist/cli/main.js', import.meta.url).pathname,
      'dev',
      'server.ts',
      '--stdio',
    ],
    { cwd: folder },
  );
  expect(code).toBe(0);
  expect(stdout).toContain('greet');
});

it.each([
  [['dev', 'nowhere.ts'], 2, 'there is no file nowhere.ts'],
  [
    ['dev', 'greet.ts', '--port', '0', '--no-open'],
    undefined,
    'greet.ts exports no server\n  Write `export default server`',
  ],
  [['serve', 'greet.ts'], 2, 'exports no server'],
] as const)('says what is wrong with `tenon %s`', async (args, exitCode, message) => {
  const folder = await projectWith({ 'greet.ts': greeting('Hello') });
  const { code, stderr } = await tenon(args, {
    cwd: folder,
    onStderr: (text, kill) => {
      if (exitCode === undefined && text.includes('not loaded')) kill('SIGINT');
    },
  });
  expect(stderr).toContain(message);
  expect(code).toBe(exitCode ?? 0);
});

it('says that the port is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await new Promise(resolve => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  const folder = await projectWith({ 'server.ts': SERVER, 'greet.ts': greeting('Hello') });
  const { code, stderr } = await tenon(['dev', 'server.ts', '--port', String(port), '--no-open'], {
    cwd: folder,
  });
  expect(stderr).toContain('the port is taken');
  expect(code).toBe(3);
});

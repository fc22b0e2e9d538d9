import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'tenon/client';
import { expect, it, onTestFinished } from 'vitest';
import { tenon } from './run.js';
import { projectWith, type RunningCommand, start } from './running.js';

const SERVER = `import { Server } from 'tenon';
import { z } from 'zod';

const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('pid', {}, () => String(process.pid));
server.tool('stew', {}, async (_, ctx) => {
  console.log('stewing');
  await new Promise(resolve => setTimeout(resolve, 300));
  return 'done';
});
server.tool('reserve', {}, async (_, ctx) => {
  const { content } = await ctx.elicit('How many?', z.object({ guests: z.number() }));
  return \`\${content?.guests} guests\`;
});
export default server;
export const options = { sse: true };
`;

async function serve(args: readonly string[] = []): Promise<{ command: RunningCommand; url: string }> {
  const folder = await projectWith({ 'server.ts': SERVER });
  const command = start(['serve', 'server.ts', '--port', '0', ...args], { cwd: folder });
  const url = await command.line(({ message, url }) => (message === 'listening' ? String(url) : undefined));
  return { command, url };
}

it('answers at its health path, and logs JSON lines', async () => {
  const { command, url } = await serve(['--log-requests']);
  expect(await (await fetch(new URL('/healthz', url))).text()).toBe('ok\n');
  const client = await connect(url);
  onTestFinished(() => client.close());
  await client.callTool('pid');
  expect(await command.line(line => (line.target === 'pid' ? line : undefined))).toMatchObject({
    level: 'info',
    message: 'request',
    method: 'tools/call',
    outcome: 'ok',
  });
});

it('finishes the calls that are running when it is told to end', async () => {
  const { command, url } = await serve();
  const client = await connect(url);
  onTestFinished(() => client.close());
  const call = client.callTool('stew');
  await command.line(({ message }) => message === 'stewing' || undefined);
  const ended = command.end('SIGTERM');
  expect(await call).toMatchObject({ content: [{ text: 'done' }] });
  expect(await ended).toBe(0);
});

it.each(['2025-06-18', '2026-07-28'])(
  'goes on with sessions of %s when a worker is killed, and starts another one',
  async revision => {
    const { command, url } = await serve(['--workers', '2']);
    // The port is closed, if only for a moment, when no worker listens.
    await expect.poll(() => command.lines.filter(({ message }) => message === 'listening').length).toBe(2);
    const warnings = () => command.lines.filter(({ level }) => level === 'warn');
    await expect.poll(warnings).toMatchObject([{ message: expect.stringContaining('run one process') }]);
    const client = await connect(url, {
      revision,
      onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
    });
    onTestFinished(() => client.close());
    const { content } = await client.callTool('pid');
    process.kill(Number((content[0] as { text: string }).text), 'SIGKILL');
    await command.line(({ message }) => message === 'a worker ended' || undefined);
    // A connection to the dead worker may break one call, which is not repeated: it might have had an effect.
    await expect.poll(() => client.tools().then(({ length }) => length)).toBe(3);
    await expect
      .poll(() =>
        client.callTool('pid').then(
          ({ isError }) => isError,
          () => 'broken',
        ),
      )
      .toBeFalsy();
    await expect
      .poll(() => command.lines.filter(({ message }) => message === 'listening').length)
      .toBeGreaterThanOrEqual(3);
    expect(await command.end('SIGTERM')).toBe(0);
  },
);

it('says why when workers end as soon as they are started', async () => {
  const folder = await projectWith({ 'server.ts': 'throw new Error("no database");' });
  const command = start(['serve', 'server.ts', '--port', '0', '--workers', '2'], { cwd: folder });
  await new Promise(resolve => command.child.once('close', resolve));
  expect(command.child.exitCode).toBe(1);
  expect(command.stderr).toContain('the workers end as soon as they are started');
  expect(command.stderr).toContain('no database');
});

it('exits as one process does when the port of the workers is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const folder = await projectWith({ 'server.ts': SERVER });
  const { code, stderr } = await tenon(['serve', 'server.ts', '--port', String(port), '--workers', '2'], {
    cwd: folder,
  });
  expect(stderr).toContain('the port is taken');
  expect(code).toBe(3);
});

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'tenon/client';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, tenon } from './run.js';
import { start } from './running.js';

const run = promisify(execFile);

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-init-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it('makes a project whose commands work at once, from the packed package', async () => {
  const folder = await emptyFolder();
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
  const [tarball] = (await readdir(folder)).filter(name => name.endsWith('.tgz'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }');
  await npm(folder, 'install', `./${tarball}`);
  const { stdout } = await run(join(folder, 'node_modules/.bin/tenon'), ['init', 'bistro', '--json'], {
    cwd: folder,
  });
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'bistro',
    next: ['cd bistro', 'npm install', 'npm run dev'],
  });

  const project = join(folder, 'bistro');
  await npm(project, 'install');
  // By default a test of vitest has five seconds, which are few beside other tests.
  const tested = await npm(project, 'test', '--', '--testTimeout=120000');
  expect(tested).toContain('8 passed');
  await npm(project, 'run', 'check');

  const own = join(project, 'node_modules/tenon/dist/cli/main.js');
  const dev = start(['dev', 'src/server.ts', '--port', '0', '--no-open', '--json'], {
    cwd: project,
    program: own,
  });
  const { url, page } = await dev.line(line =>
    line.event === 'listening' ? (line as { url: string; page: string }) : undefined,
  );
  expect((await fetch(page)).status).toBe(200);
  const client = await connect(url, { onElicit: () => ({ action: 'accept', content: { guests: 2 } }) });
  onTestFinished(() => client.close());
  expect(await client.callTool('reserve', { day: 'friday' })).toMatchObject({
    structuredContent: { guests: 2 },
  });
});

it('never writes over files of the user', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'notes.txt'), 'mine');
  const { code, stderr } = await tenon(['init', folder]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${folder} is not empty`);
  expect(await readdir(folder)).toEqual(['notes.txt']);
});

it('takes the name from a flag, and refuses one that npm refuses', async () => {
  const folder = await emptyFolder();
  expect((await tenon(['init', folder, '--name', 'Bad Name'])).stderr).toContain(
    '"Bad Name" cannot be the name',
  );
  expect((await tenon(['init', folder, '--name', 'bistro-2'])).code).toBe(0);
  expect(await readFile(join(folder, 'src/server.ts'), 'utf8')).toContain("name: 'bistro-2'");
  expect(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    name: 'bistro-2',
    dependencies: { tenon: expect.stringMatching(/^file:/) },
  });
});

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', ['--no-audit', '--no-fund', '--prefer-offline', ...args], {
    cwd,
    env: { ...process.env, CI: '1', NO_COLOR: '1' },
  });
  return stdout;
}

import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPacked, type Project, readManifest } from './packed.js';

const run = promisify(execFile);

const SERVER = `
import { Server } from 'tenon';
import { serveStdio } from 'tenon/stdio';
const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('hello', { description: 'Says hello' }, () => 'hello');
serveStdio(server);
`;

let project: Project;
let bin: string;

beforeAll(async () => {
  project = await installPacked();
  const { bin: bins } = (await readManifest(project.tenon)) as unknown as { bin: { tenon: string } };
  bin = join(project.tenon, bins.tenon);
});

afterAll(() => project?.[Symbol.asyncDispose]());

it('the command of the package runs where nothing but the package and its dependencies is installed', async () => {
  expect(await readFile(bin, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  await writeFile(join(project.folder, 'server.js'), SERVER);
  const program = ['--', process.execPath, 'server.js'];
  const { stdout } = await run(process.execPath, [bin, 'list', '--json', ...program], {
    cwd: project.folder,
  });
  expect(JSON.parse(stdout).tools).toMatchObject([{ name: 'hello' }]);
});

it('the package passes on the licenses of the libraries that its command contains', async () => {
  const text = await readFile(join(project.tenon, 'dist/cli/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(text).toMatch(/^commander \d/m);
  expect(text).toContain('Permission is hereby granted');
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { connect } from 'tenon/client';
import { textOf } from 'tenon/testing';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { projectWith, start } from '../cli/running.js';
import { codeBlocks } from './blocks.js';

const blocks = codeBlocks('docs/deploy.md');
const SERVER = `import { Server } from 'tenon';
const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('greet', {}, () => 'Hello');
`;

it('the page on deployment shows a line that serves a file', async () => {
  const [command, ...args] = onLoopback(blockWith('sh', 'tenon serve')).trim().split(' ');
  expect(command).toBe('tenon');
  const cwd = await projectWith({ 'src/server.ts': `${SERVER}export default server;\n` });
  const serving = start(args, { cwd, env: { PORT: '0' } });
  const url = await serving.line(line => line.url as string | undefined);
  expect(await greet(url)).toBe('Hello');
  expect(await serving.end('SIGTERM')).toBe(0);
});

it('the page on deployment shows a server and its Dockerfile, which runs it until SIGTERM', async () => {
  const listens = blockWith('ts', 'healthPath');
  const program = [SERVER, listens, blockWith('ts', "['SIGTERM', 'SIGINT']")].join('\n');
  const { code } = await transform(onLoopback(program), { loader: 'ts' });
  // The packages are found in the folder above, so the application itself depends on none.
  const manifest = { name: 'app', version: '1.0.0', type: 'module' };
  const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
  const folder = await projectWith({
    'source/server.js': code,
    'source/package.json': JSON.stringify(manifest),
    'source/package-lock.json': JSON.stringify(lock),
  });
  const image = await buildImage(blockWith('dockerfile', 'FROM'), join(folder, 'source'), folder);
  expect(await readFile(`${ROOT}/docs/support.md`, 'utf8')).toMatch(
    new RegExp(`^\\| ${/^node:(\d+)-slim$/.exec(image.base)?.[1]} +\\| yes`, 'm'),
  );
  expect(listens).toContain(`port: ${image.port},`);

  const [command = '', ...args] = image.command;
  expect(command).toBe('node');
  const child = spawn(process.execPath, args, { cwd: image.folder, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  expect(await greet(url.trim())).toBe('Hello');
  expect(await (await fetch(new URL('/healthz', url))).text()).toBe('ok\n');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

/** What a Dockerfile makes, as far as it can be made without Docker: a folder, and what runs in it. */
interface Image {
  readonly base: string;
  readonly folder: string;
  readonly port: string;
  readonly command: string[];
}

/** Follows a Dockerfile in a folder that stands for the root of the image. */
async function buildImage(dockerfile: string, source: string, root: string): Promise<Image> {
  const image = { base: '', folder: root, port: '', command: [] as string[] };
  for (const line of dockerfile.trim().split('\n')) {
    const [, instruction, rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    switch (instruction) {
      case 'FROM':
        image.base = rest;
        break;
      case 'WORKDIR':
        image.folder = join(root, rest);
        await mkdir(image.folder);
        break;
      case 'COPY':
        await copy(rest.split(' '), source, image.folder);
        break;
      case 'RUN':
        await promisify(execFile)('bash', ['-ec', rest], { cwd: image.folder });
        break;
      case 'EXPOSE':
        image.port = rest;
        break;
      case 'CMD':
        image.command = JSON.parse(rest);
        break;
      default:
        // The official image has this user; nothing here depends on it.
        expect(line).toBe('USER node');
    }
  }
  return image;
}

async function copy(paths: readonly string[], source: string, folder: string): Promise<void> {
  const target = join(folder, paths.at(-1) as string);
  for (const path of paths.slice(0, -1))
    await cp(join(source, path), path === '.' ? target : join(target, path), { recursive: true });
}

async function greet(url: string): Promise<string> {
  const client = await connect(url);
  const text = textOf(await client.callTool('greet'));
  await client.close();
  return text;
}

function onLoopback(code: string): string {
  return code.replace('0.0.0.0', '127.0.0.1').replace('port: 3000', 'port: 0');
}

function blockWith(language: string, text: string): string {
  const found = blocks.find(block => block.language === language && block.code.includes(text));
  if (!found) throw new Error(`the page has no ${language} with ${text}`);
  return found.code;
}

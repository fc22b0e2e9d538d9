import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installPacked, type Project, readManifest } from './packed.js';

let project: Project;

beforeAll(async () => {
  project = await installPacked();
});

afterAll(() => project?.[Symbol.asyncDispose]());

it('contains what every file of text in it links to', async () => {
  const pages = project.files.filter(file => file.endsWith('.md'));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'SECURITY.md']));
  expect((await Promise.all(pages.map(deadLinks))).flat()).toEqual([]);
});

it('contains what every entry of its exports points to', async () => {
  const { exports, main, types } = await readManifest(project.tenon);
  const targets = Object.values(exports).flatMap(target =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  expect([...targets, main, types].filter(target => !has(normalize(target)))).toEqual([]);
});

it('is imported by every subpath, and by what a subpath is on other runtimes', async () => {
  const { exports } = await readManifest(project.tenon);
  const modules = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string' ? [] : [`tenon${subpath.slice(1)}`, join(project.tenon, target.default ?? '')],
  );
  const program = `for (const name of ${JSON.stringify(modules)}) {
    if (Object.keys(await import(name)).length === 0) throw new Error(name + ' exports nothing');
  }
  console.log(import.meta.resolve('tenon/package.json').endsWith('/tenon/package.json'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project.folder,
  });
  expect(stdout).toBe('true\n');
});

it.each([
  [
    '@redis/client',
    "import { redisCluster } from 'tenon/redis'; redisCluster({ url: 'redis://127.0.0.1:1' })",
  ],
  [
    'pg',
    "import { postgresCluster } from 'tenon/postgres'; postgresCluster({ connectionString: 'postgres://127.0.0.1:1' })",
  ],
])('says how to install %s, where it is needed and missing', async (name, made) => {
  const program = `${made}.read('key').catch(({ kind, message }) => console.log(kind + ': ' + message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: project.folder,
  });
  expect(stdout).toMatch(new RegExp(`^usage: .* needs the package ${name}: npm install ${name}\n$`));
});

it('contains the sources that its declarations are mapped to', async () => {
  const maps = project.files.filter(file => file.endsWith('.d.ts.map'));
  expect(maps.length).toBeGreaterThan(100);
  expect(maps.length).toBe(project.files.filter(file => file.endsWith('.d.ts')).length);
  const sources = await Promise.all(
    maps.map(async map => {
      const { sources } = JSON.parse(await read(map)) as { sources: string[] };
      return sources.map(source => normalize(join(dirname(map), source)));
    }),
  );
  expect(sources.flat().filter(source => !has(source))).toEqual([]);
});

it('contains nothing that only this project needs', () => {
  const unwanted = /tsbuildinfo$|\.test\.|\.test-d\.|(^|\/)(node_modules|test|bench|\.[^/]+)\/|\.js\.map$/;
  // Templates and examples show how servers are tested.
  const files = project.files.filter(file => !/^(templates|examples)\//.test(file));
  expect(files.filter(file => unwanted.test(file))).toEqual([]);
});

async function deadLinks(page: string): Promise<string[]> {
  const links = [...(await read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string);
  return links
    .filter(link => !/^(https?:|#)/.test(link))
    .map(link => normalize(join(dirname(page), link.replace(/#.*/, ''))))
    .filter(target => !has(target))
    .map(target => `${page} links to ${target}, which is not in the package`);
}

function has(path: string): boolean {
  return project.files.some(file => file === path || file.startsWith(path.endsWith('/') ? path : `${path}/`));
}

function read(file: string): Promise<string> {
  return readFile(join(project.tenon, file), 'utf8');
}

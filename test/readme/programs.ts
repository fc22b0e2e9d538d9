import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ROOT } from '../architecture/sources.js';
import type { Block } from './blocks.js';

const SURROUNDINGS = `${ROOT}/test/readme/surroundings`;

/** Makes a folder in which `tenon` and the packages of the project are found as in a project of a user. */
export async function createProject(folder: string): Promise<void> {
  await mkdir(`${folder}/node_modules`);
  for (const name of await readdir(`${ROOT}/node_modules`))
    await symlink(`${ROOT}/node_modules/${name}`, `${folder}/node_modules/${name}`);
  await symlink(ROOT, `${folder}/node_modules/tenon`);
  await cp(SURROUNDINGS, `${folder}/surroundings`, { recursive: true });
  await cp(`${ROOT}/test/readme/run-snippets.mjs`, `${folder}/run-snippets.mjs`);
  await mkdir(`${folder}/types`);
  // The package has no types of its own.
  await writeFile(`${folder}/types/untyped.d.ts`, "declare module 'express';\n");
  await writeFile(`${folder}/package.json`, JSON.stringify({ type: 'module' }));
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2023', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['types'] }));
}

/** Writes a block twice: as it stands on the page, for the compiler, and as it is run. */
export async function writeProgram(folder: string, block: Block): Promise<void> {
  const name = block.surroundings ?? basename(block.page, '.md');
  const path = `${name}/${named(block) ?? fileOf(block)}`;
  for (const [kind, code] of [
    ['types', block.code],
    ['runs', forRunning(block.code)],
  ] as const) {
    await mkdir(`${folder}/${kind}/${name}`, { recursive: true });
    await writeFile(`${folder}/${kind}/${path}`, importsFrom(name, code) + code);
  }
}

/** The path of the program that runs a block. */
export function programOf(block: Block): string {
  return `./runs/${block.surroundings ?? basename(block.page, '.md')}/${fileOf(block)}`;
}

function fileOf({ page, line, language }: Block): string {
  return `${basename(page, '.md')}-${line}.${language}`;
}

/** The name of the file, if the block begins with it: such blocks import each other. */
function named({ code }: Block): string | undefined {
  return /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1];
}

/** Takes any free port, the servers of the tests, and checks lines such as `sum(1, 2); // => 3`. */
function forRunning(code: string): string {
  const here = code
    .replaceAll(/\bport: 3000\b/g, 'port: 0')
    .replaceAll('.listen(3000)', ".listen(0, '127.0.0.1')")
    // What a snippet registers on a server of its own can be called, too.
    .replaceAll(/^const server = new Server\(/gm, 'export const server = new Server(')
    .replaceAll("'http://127.0.0.1:3000/mcp'", 'latestUrl()')
    .replaceAll("'https://bistro.example/mcp'", 'bistroUrl')
    .replaceAll(/^(\s*)(\S.*?);? \/\/ => (.+)$/gm, '$1__same(await ($2), $3);');
  return here.includes('__same(')
    ? `import { deepEqual as __same } from 'node:assert/strict';\n${here}`
    : here;
}

/** Imports the names that a block uses but does not say where they come from. */
function importsFrom(surroundings: string, code: string): string {
  const own = new Set(declaredIn(code));
  const files = [surroundings, 'bistro', 'listening'].filter(file =>
    existsSync(`${SURROUNDINGS}/${file}.ts`),
  );
  return files
    .map(file => {
      const offered = exportedBy(readFileSync(`${SURROUNDINGS}/${file}.ts`, 'utf8'));
      const needed = offered.filter(name => !own.has(name) && new RegExp(`\\b${name}\\b`).test(code));
      for (const name of needed) own.add(name);
      return needed.length > 0
        ? `import { ${needed.join(', ')} } from '../../surroundings/${file}.js';\n`
        : '';
    })
    .join('');
}

function exportedBy(module: string): string[] {
  const declared = [...module.matchAll(/^export (?:async )?(?:const|function|class|type|interface) (\w+)/gm)];
  const passedOn = [...module.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  return [
    ...declared.map(([, name]) => name as string),
    ...passedOn.flatMap(([, names]) => wordsIn(names as string)),
  ].filter(name => name !== 'check');
}

/** The names that a block imports or declares at its outermost level. */
function declaredIn(code: string): string[] {
  const imported = [...code.matchAll(/^import (.*?) from /gms)];
  const declared = [
    ...code.matchAll(
      /^(?:export )?(?:async )?(?:const|let|function|class|type|interface) (\{[^}]*\}|\[[^\]]*\]|\w+)/gm,
    ),
  ];
  return [...imported, ...declared].flatMap(([, names]) => wordsIn(names as string));
}

function wordsIn(text: string): string[] {
  return text.match(/\w+/g) ?? [];
}

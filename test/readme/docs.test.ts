import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { connect } from 'tenon/client';
import { textOf } from 'tenon/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { type Block, codeBlocks, markdownFiles } from './blocks.js';
import { createProject, programOf, writeProgram } from './programs.js';
import { startProgram } from './start-program.js';

const run = promisify(execFile);
const TSC = `${ROOT}/node_modules/typescript/bin/tsc`;
/** These pages have tests of their own, which run every block. */
const TESTED_ELSEWHERE = new Set([
  'README.md',
  'docs/apps.md',
  'docs/extensions.md',
  'docs/frameworks.md',
  'docs/models.md',
  'docs/protocol.md',
  'docs/skills.md',
  'docs/testing.md',
]);
/** Blocks of these use packages that are not installed, or values whose types only the reader knows. */
const WITHOUT_TYPES = new Set(['docs/frameworks.md', 'docs/models.md', 'docs/protocol.md']);

const pages = markdownFiles('docs/*.md', 'README.md').filter(page => !page.startsWith('docs/reference/'));
const blocks = pages.flatMap(codeBlocks);
const programs = blocks.filter(({ language }) => ['ts', 'js', 'tsx'].includes(language));
const checked = programs.filter(({ page }) => !WITHOUT_TYPES.has(page));
const runnable = programs.filter(({ page, runsAs }) => !TESTED_ELSEWHERE.has(page) && runsAs === undefined);
const servers = programs.filter(({ runsAs }) => runsAs?.endsWith(' server'));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-docs-'));
  await createProject(folder);
  for (const block of checked) await writeProgram(folder, block);
});

afterAll(() => rm(folder, { recursive: true }));

describe('the README and the pages in docs/', () => {
  it('have snippets whose types are right', async () => {
    const { stdout } = await run(process.execPath, [TSC, '-p', folder]).catch(failed => failed);
    expect(stdout).toBe('');
  });

  it.concurrent.each(byPage(runnable))('%s has snippets that run', async (page, ofPage) => {
    const surroundings = `${folder}/surroundings/${basename(page, '.md')}.ts`;
    const args = [page, existsSync(surroundings) ? surroundings : '', ...ofPage.map(programOf)];
    const child = run(process.execPath, ['--import', 'tsx', 'run-snippets.mjs', ...args], {
      cwd: folder,
      timeout: 280_000,
    });
    const { stderr } = await child.catch(failed => failed);
    expect(stderr).toContain(`ran ${ofPage.length} snippets of ${page}`);
  });

  it.each(servers.map(block => [`${block.page}:${block.line}`, block.runsAs, block] as const))(
    'have at %s an %s that greets a client',
    async (_place, runsAs, block) => {
      const program = join(folder, programOf(block));
      const listening = `${folder}/surroundings/listening.ts`;
      const server =
        runsAs === 'stdio server'
          ? { command: process.execPath, args: ['--import', 'tsx', program], cwd: ROOT }
          : await startProgram(program, {}, [listening]);
      const client = await connect(server);
      onTestFinished(() => client.close());
      expect(textOf(await client.callTool('greet', { name: 'Ada' }))).toBe('Hello Ada');
    },
  );

  it('call languages by the names that these tests know', () => {
    const others = new Set(['typescript', 'javascript', 'mjs', 'mts', 'jsx', 'bash', 'shell', 'console']);
    expect(blocks.filter(({ language }) => others.has(language))).toEqual([]);
  });

  it('have JSON that can be read', () => {
    for (const { language, code } of blocks) if (language === 'json') JSON.parse(code);
  });
});

function byPage(some: readonly Block[]): [string, Block[]][] {
  return [...new Set(some.map(({ page }) => page))].map(page => [
    page,
    some.filter(block => block.page === page),
  ]);
}

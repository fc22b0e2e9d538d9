import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Server } from 'tenon';
import { listen, type RunningHttpServer } from 'tenon/node';
import { skills } from 'tenon/skills';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKeys } from '../keys.js';
import { program } from '../programs/program.js';
import { folderWith, skillText } from '../skills/folders.js';
import { ROOT, tenon } from './run.js';

const FOLDER = join(ROOT, 'test/conformance/fixture/skill-folder');
const PROGRAM = ['--', process.execPath, 'test/cli/fixtures/skills-server.mjs', FOLDER];

describe('tenon skills', () => {
  let shop: RunningHttpServer;
  beforeAll(async () => {
    const server = new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills(FOLDER)] });
    shop = await listen(server, { port: 0, keys: freshKeys() });
  });
  afterAll(() => shop?.close());

  it('lists the skills of a server', async () => {
    const { code, stdout, stderr } = await tenon(['skills', 'list', shop.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Skills (2)');
    expect(stdout).toContain('skill://acme/refunds/SKILL.md');
    expect(stdout).toMatch(/2 files, \d+ bytes/);
  });

  it('lists them as JSON, of a program, too', async () => {
    const { stdout } = await tenon(['skills', 'list', '--json', ...PROGRAM]);
    expect(JSON.parse(stdout)).toMatchObject({
      skills: [{ frontmatter: { name: 'refunds' } }, { frontmatter: { name: 'pdf-processing' } }],
      refused: [],
    });
  });

  it('prints the instructions of a skill as they are, and its other files', async () => {
    const text = await readFile(join(FOLDER, 'acme/refunds/SKILL.md'), 'utf8');
    expect((await tenon(['skills', 'get', shop.url, 'refunds'])).stdout).toBe(text);
    const uri = 'skill://acme/refunds/SKILL.md';
    const { stdout } = await tenon(['skills', 'get', shop.url, uri, 'examples/email.md']);
    expect(stdout).toBe('Dear customer, your money is on its way.\n');
  });

  it('saves a skill below a folder', async () => {
    const folder = await folderWith({});
    const { code, stdout } = await tenon(['skills', 'get', shop.url, 'refunds', '--save', folder]);
    expect(code).toBe(0);
    const path = stdout.trim().replace('saved in ', '');
    expect(path.startsWith(folder)).toBe(true);
    expect(await readFile(join(path, 'examples/email.md'), 'utf8')).toContain('Dear customer');
  });

  it.each([
    ['a skill that is misspelled', ['get', 'refund'], 2, 'Did you mean "refunds"?'],
    ['a file that is not listed', ['get', 'refunds', 'secret'], 1, 'has no file "secret"'],
    ['a path that escapes', ['get', 'refunds', '../../etc/passwd'], 1, 'leads out of the folder'],
    [
      'a URI that is not served',
      ['get', 'skill://no/SKILL.md'],
      1,
      'no skill is served at skill://no/SKILL.md',
    ],
    ['get without a skill', ['get'], 2, 'the name of a skill is missing'],
  ])('refuses %s', async (_, [action, ...words], exitCode, message) => {
    const { code, stdout, stderr } = await tenon(['skills', action as string, shop.url, ...words]);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('checks every file of a server', async () => {
    const { code, stdout } = await tenon(['skills', 'check', ...PROGRAM]);
    expect(code).toBe(0);
    expect(stdout.match(/^good {2}skill:/gm)).toHaveLength(2);
  });

  it('checks a folder before it is served, and fails if something is wrong with it', async () => {
    const folder = await folderWith({ 'good/SKILL.md': skillText('good'), 'bad/SKILL.md': '# Bad' });
    const { code, stdout } = await tenon(['skills', 'check', folder]);
    expect(code).toBe(5);
    expect(stdout).toContain('good  skill://good/SKILL.md  1 file, ');
    expect(stdout).toContain('bad   bad: it does not begin with frontmatter');
  });

  // covers: skills/names-are-not-unique
  it('asks for the URI if several skills have the name', async () => {
    const folder = await folderWith({ 'a/x/SKILL.md': skillText('x'), 'b/x/SKILL.md': skillText('x') });
    const program = ['--', process.execPath, 'test/cli/fixtures/skills-server.mjs', folder];
    const { code, stderr } = await tenon(['skills', 'get', 'x', ...program]);
    expect(code).toBe(2);
    expect(stderr).toContain('Name one by its URI: skill://a/x/SKILL.md, skill://b/x/SKILL.md');
  });

  it('says so if the server has no skills', async () => {
    const { code, stderr } = await tenon([
      'skills',
      'list',
      '--',
      process.execPath,
      program('examples/bistro/stdio.ts'),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain('the server does not serve skills');
  });
});

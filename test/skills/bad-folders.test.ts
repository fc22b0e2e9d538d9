import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { listSkills } from '../../src/node/client/skills/index.js';
import { checkSkillFolder, skills } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import { folderWith, skillText } from './folders.js';

const GOOD = { 'good/SKILL.md': skillText('good') };

/** What is wrong with a folder. The skill beside the bad one must still be served. */
async function problemsOf(folder: string) {
  const { skills, problems } = await checkSkillFolder(folder);
  expect(skills.map(({ uri }) => uri)).toEqual(['skill://good/SKILL.md']);
  return problems;
}

// covers: skills/frontmatter-is-required, skills/path-ends-with-name
it.each([
  ['without frontmatter', 'x', '# X', 'it does not begin with frontmatter: YAML between two lines of ---'],
  ['without a name', 'x', '---\ndescription: x\n---\n', 'its frontmatter has no name'],
  ['without a description', 'x', '---\nname: x\n---\n', 'its frontmatter has no description'],
  [
    'with an empty description',
    'x',
    '---\nname: x\ndescription: " "\n---\n',
    'its frontmatter has no description',
  ],
  [
    'with a long description',
    'x',
    `---\nname: x\ndescription: ${'a'.repeat(1025)}\n---\n`,
    'its description has 1025 characters, and 1024 are allowed',
  ],
  [
    'with a name in capitals',
    'PDF',
    skillText('PDF'),
    'the name "PDF" is not allowed: use lowercase letters, digits and single hyphens between them',
  ],
  [
    'with two hyphens in its name',
    'a--b',
    skillText('a--b'),
    'the name "a--b" is not allowed: use lowercase letters, digits and single hyphens between them',
  ],
  ['with a long name', 'x', skillText('a'.repeat(65)), 'the name has 65 characters, and 64 are allowed'],
  [
    'with a name that escapes',
    'x',
    skillText('../x'),
    'the name "../x" is not allowed: use lowercase letters, digits and single hyphens between them',
  ],
  [
    'with the name of another folder',
    'x',
    skillText('y'),
    'it has the name "y", which is not that of its folder',
  ],
  ['with metadata that are a text', 'x', skillText('x', 'metadata: a\n'), 'its metadata is not a map'],
  [
    'with a field twice',
    'x',
    skillText('x', 'license: a\nlicense: b\n'),
    'its frontmatter is not valid YAML: Map keys must be unique at line 4, column 1',
  ],
  [
    'with a tag',
    'x',
    skillText('x', 'when: !date 2026-11-18\n'),
    'its frontmatter is not valid YAML: Unresolved tag: !date at line 3, column 7',
  ],
  [
    'with a number that JSON does not have',
    'x',
    skillText('x', 'share: .nan\n'),
    'its frontmatter has a value that JSON does not have',
  ],
  ['with a list as frontmatter', 'x', '---\n- x\n---\n', 'its frontmatter is not a map of fields'],
  [
    'with long frontmatter',
    'x',
    skillText('x', `notes: ${'a'.repeat(65_536)}\n`),
    'its frontmatter is longer than 65536 bytes',
  ],
])('a skill %s is not served, and the author is told why', async (_, path, text, problem) => {
  const folder = await folderWith({ ...GOOD, [`${path}/SKILL.md`]: text });
  expect(await problemsOf(folder)).toEqual([{ path, problem }]);
});

it('aliases that would fill the memory are refused', async () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let n = 1; n < 10; n++) lines.push(`a${n}: &a${n} [${`*a${n - 1}, `.repeat(10)}]`);
  const folder = await folderWith({ ...GOOD, 'bomb/SKILL.md': skillText('bomb', `${lines.join('\n')}\n`) });
  expect(await problemsOf(folder)).toEqual([
    {
      path: 'bomb',
      problem: 'its frontmatter cannot be read: Excessive alias count indicates a resource exhaustion attack',
    },
  ]);
});

it('a link is never followed: as a file, as a folder, as a skill', async () => {
  const outside = await folderWith({ 'secret.txt': 'secret', 'stolen/SKILL.md': skillText('stolen') });
  const folder = await folderWith({
    ...GOOD,
    'file/SKILL.md': skillText('file'),
    'dir/SKILL.md': skillText('dir'),
    'main/notes.md': '',
  });
  await symlink(join(outside, 'secret.txt'), join(folder, 'file/notes.txt'));
  await symlink(outside, join(folder, 'dir/more'));
  await symlink(join(outside, 'stolen/SKILL.md'), join(folder, 'main/SKILL.md'));
  await symlink(join(outside, 'stolen'), join(folder, 'stolen'));
  const link = 'it is a symbolic link, which is never followed; put the files themselves there';
  expect(await problemsOf(folder)).toEqual([
    { path: 'stolen', problem: link },
    { path: 'dir', problem: `"more" is not served: ${link}` },
    { path: 'file', problem: `"notes.txt" is not served: ${link}` },
    { path: 'main', problem: `"SKILL.md" is not served: ${link}` },
  ]);
});

it('a skill with 10,000 files is not served, and not looked through', async () => {
  const folder = await folderWith({ ...GOOD, 'many/SKILL.md': skillText('many') });
  await mkdir(join(folder, 'many/data'));
  for (let n = 0; n < 10_000; n += 500)
    await Promise.all(
      Array.from({ length: 500 }, (_, k) => writeFile(join(folder, `many/data/${n + k}`), '')),
    );
  expect(await problemsOf(folder)).toEqual([
    { path: 'many', problem: 'a folder has more than 1024 files and folders; split it, or remove some' },
  ]);
});

// covers: skills/limits-of-servers, skills/limits-of-hosts
it('a skill with one file too many is not served, and one with just enough is', async () => {
  const files = (name: string, count: number) => ({
    [`${name}/SKILL.md`]: skillText(name),
    ...Object.fromEntries(Array.from({ length: count - 1 }, (_, n) => [`${name}/${n}.md`, ''])),
  });
  const { skills, problems } = await checkSkillFolder(
    await folderWith({ ...files('enough', 512), ...files('too-many', 513) }),
  );
  expect(skills).toMatchObject([{ uri: 'skill://enough/SKILL.md' }]);
  expect(problems).toEqual([
    { path: 'too-many', problem: 'it has more than 512 files; split it, or remove some' },
  ]);
});

it('a skill with a file of 1 GB is not served, and the file is not read', async () => {
  const folder = await folderWith({ ...GOOD, 'huge/SKILL.md': skillText('huge') });
  const file = await open(join(folder, 'huge/model.bin'), 'w');
  await file.truncate(2 ** 30);
  await file.close();
  const size = (2 ** 30 + skillText('huge').length).toLocaleString('en');
  expect(await problemsOf(folder)).toEqual([
    { path: 'huge', problem: `it has ${size} bytes, and 16,777,216 are allowed; split it, or remove some` },
  ]);
});

it('a folder with a name that not every system allows is left out, and the skills beside it are served', async () => {
  const folder = await folderWith({
    ...GOOD,
    'a\\b/skill/SKILL.md': skillText('skill'),
    'team/a\\b/SKILL.md': skillText('a'),
    'strange/SKILL.md': skillText('strange'),
    'strange/a\\b.md': '',
    'a\\b.txt': 'no skill can be in a file',
  });
  const problem = '"a\\\\b" is not a name that every system allows; rename it';
  expect(await problemsOf(folder)).toEqual([
    { path: 'a\\b', problem },
    { path: 'team/a\\b', problem },
    { path: 'strange', problem: '"a\\\\b.md" is not a name that every system allows; rename it' },
  ]);
});

it('a folder without skills is served as an empty list', async () => {
  expect(await checkSkillFolder(await folderWith({ 'README.md': 'none yet' }))).toEqual({
    skills: [],
    problems: [],
  });
});

it('a folder that is a skill is served under its own name', async () => {
  const folder = await folderWith(GOOD);
  const { skills } = await checkSkillFolder(join(folder, 'good'));
  expect(skills).toMatchObject([{ uri: 'skill://good/SKILL.md' }]);
});

it('a server tells each problem once, and serves the rest', async () => {
  const problems: string[] = [];
  const folder = await folderWith({ ...GOOD, 'bad/SKILL.md': '# Bad' });
  const onProblem = ({ path }: { path: string }) => problems.push(path);
  const server = new Server(
    { name: 'shop', version: '1.0.0' },
    { extensions: [skills(folder, { onProblem })] },
  );
  await using client = await connect(server);
  for (let n = 0; n < 3; n++) expect((await listSkills(client)).skills).toHaveLength(1);
  expect(problems).toEqual(['bad']);
});

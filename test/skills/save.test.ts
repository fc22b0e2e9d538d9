import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { saveSkill as portableSave } from '../../src/client/skills/index.js';
import { saveSkill } from '../../src/node/client/skills/index.js';
import { describeSkill } from '../../src/node/server/skills/index.js';
import type { Skill, SkillResource } from '../../src/skills/skill.js';
import { folderWith, skillText } from './folders.js';
import { connectedTo } from './lying-server.js';

const ROOT = 'skill://acme/refunds';
const CONTENT = {
  'SKILL.md': skillText('refunds'),
  'scripts/run me.sh': '#!/bin/sh\n',
  'logo.png': Uint8Array.of(0, 255),
};
const SKILL = await describeSkill(ROOT, CONTENT);
const FILES = filesOf(CONTENT);
const PLACE = join('docs', 'skill%3A%2F%2Facme%2Frefunds', 'refunds');

function filesOf(content: Readonly<Record<string, string | Uint8Array>>) {
  return Object.fromEntries(
    Object.entries(content).map(([path, bytes]) => [`${ROOT}/${path.replaceAll(' ', '%20')}`, bytes]),
  );
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

it('writes a skill into a folder of its own, under the name of the server and the URI', async () => {
  const folder = await folderWith({});
  const { client } = await connectedTo([SKILL], FILES);
  const path = await saveSkill(client, SKILL, { folder, server: 'docs' });
  expect(relative(folder, path)).toBe(PLACE);
  expect(await filesIn(folder)).toEqual(
    ['SKILL.md', 'logo.png', 'scripts/run me.sh'].map(file => join(PLACE, file)),
  );
  expect(await readFile(join(path, 'logo.png'))).toEqual(Buffer.of(0, 255));
  expect((await stat(join(path, 'scripts/run me.sh'))).mode & 0o777).toBe(0o600);
});

it('replaces a saved skill only if it is told to, and then as a whole', async () => {
  const folder = await folderWith({});
  const { client } = await connectedTo([SKILL], FILES);
  const path = await saveSkill(client, SKILL, { folder, server: 'docs' });
  await expect(saveSkill(client, SKILL, { folder, server: 'docs' })).rejects.toMatchObject({
    kind: 'usage',
    message: `the skill is saved already, at ${path}; pass replace: true to replace it`,
  });
  const smaller = await describeSkill(ROOT, { 'SKILL.md': CONTENT['SKILL.md'] });
  await saveSkill(client, smaller, { folder, server: 'docs', replace: true });
  expect(await filesIn(folder)).toEqual([join(PLACE, 'SKILL.md')]);
});

it('saves a skill once if it is saved twice at once, and says so', async () => {
  const folder = await folderWith({});
  const { client } = await connectedTo([SKILL], FILES);
  const save = (replace: boolean) => saveSkill(client, SKILL, { folder, server: 'docs', replace });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => save(false)));
  const refused = outcomes.filter(outcome => outcome.status === 'rejected');
  expect(refused.map(({ reason }) => reason.message)).toEqual(
    Array(3).fill(`the skill is saved already, at ${join(folder, PLACE)}; pass replace: true to replace it`),
  );
  await Promise.all([1, 2, 3, 4].map(() => save(true)));
  expect(await filesIn(folder)).toHaveLength(3);
});

// covers: skills/identity-in-paths
it('keeps skills of two servers apart, whatever their names', async () => {
  const folder = await folderWith({});
  const { client } = await connectedTo([SKILL], FILES);
  for (const server of ['docs', '..', 'a/b', '../../x']) {
    const path = await saveSkill(client, SKILL, { folder, server });
    expect(relative(folder, path).split('/')).toHaveLength(3);
  }
  expect((await readdir(folder)).sort()).toEqual(['%2E%2E', '%2E%2E%2F%2E%2E%2Fx', 'a%2Fb', 'docs']);
});

it.each([
  [
    'with other content',
    { ...FILES, [`${ROOT}/logo.png`]: Uint8Array.of(1, 255) },
    /^skill:\/\/acme\/refunds\/logo.png has the digest/,
  ],
  ['that is missing', { ...FILES, [`${ROOT}/logo.png`]: undefined as never }, /^resource not found/],
])('leaves nothing behind for a file %s', async (_, files, message) => {
  const folder = await folderWith({});
  const { client } = await connectedTo([SKILL], files);
  await expect(saveSkill(client, SKILL, { folder, server: 'docs' })).rejects.toThrow(message);
  expect(await readdir(folder)).toEqual([]);
});

it('refuses paths that lead out of the folder', async () => {
  const folder = await folderWith({});
  const [main, other] = SKILL.resources as SkillResource[];
  for (const path of ['../../../../evil', '%2e%2e/evil', '..%2fevil', '..%5cevil', '/evil']) {
    const skill: Skill = { ...SKILL, resources: [main!, { ...other!, uri: `${ROOT}/${path}` }] };
    const { client, reads } = await connectedTo([skill], FILES);
    await expect(saveSkill(client, skill, { folder, server: 'docs' })).rejects.toMatchObject({
      kind: 'skill-refused',
      message: `the skill ${ROOT}/SKILL.md lists "${ROOT}/${path}", which is not a file in its folder`,
    });
    expect(reads).toEqual([]);
  }
  expect(await readdir(folder)).toEqual([]);
});

it('refuses names that are one file on some systems', async () => {
  const content = { 'SKILL.md': CONTENT['SKILL.md'], 'a/Notes.md': 'one', 'A/notes.md': 'two' };
  const skill = await describeSkill(ROOT, content);
  const { client } = await connectedTo([skill], filesOf(content));
  const folder = await folderWith({});
  await expect(saveSkill(client, skill, { folder, server: 'docs' })).rejects.toMatchObject({
    kind: 'skill-refused',
    message: `the skill ${ROOT}/SKILL.md has "a" and "A", which are the same name on some systems`,
  });
});

it('does not follow a link that stands in the way', async () => {
  const [folder, outside] = [await folderWith({}), await folderWith({})];
  await symlink(outside, join(folder, 'docs'));
  const { client } = await connectedTo([SKILL], FILES);
  await expect(saveSkill(client, SKILL, { folder, server: 'docs' })).rejects.toMatchObject({
    kind: 'usage',
    message: `${join(folder, 'docs')} is not a folder; remove it, so that skills can be saved there`,
  });
  expect(await readdir(outside)).toEqual([]);
  await mkdir(join(folder, 'other/skill%3A%2F%2Facme%2Frefunds'), { recursive: true });
  await symlink(outside, join(folder, 'other/skill%3A%2F%2Facme%2Frefunds/refunds'));
  await saveSkill(client, SKILL, { folder, server: 'other', replace: true });
  expect(await readdir(outside)).toEqual([]);
});

it('saves no skill without digests, and nothing where there are no files', async () => {
  const { client } = await connectedTo([SKILL], FILES);
  const options = { folder: await folderWith({}), server: 'docs' };
  await expect(saveSkill(client, { ...SKILL, resources: 'dynamic' }, options)).rejects.toMatchObject({
    message: `the skill ${ROOT}/SKILL.md is generated, so there is no list of its files to save`,
  });
  await expect(portableSave(client, SKILL, options)).rejects.toMatchObject({
    kind: 'usage',
    message: 'saveSkill works on Node only; use openSkill, and store what its read returns',
  });
});

import { expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { getSkill, listSkills, openSkill } from '../../src/node/client/skills/index.js';
import { describeSkill } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import type { Skill, SkillResource } from '../../src/skills/skill.js';
import { skillText } from './folders.js';
import { connectedTo } from './lying-server.js';

const URI = 'skill://refunds/SKILL.md';
const NOTES = 'skill://refunds/notes.md';
const TEXT = skillText('refunds', 'license: MIT\n');
const FILES = { [URI]: TEXT, [NOTES]: 'notes\n' };
const SKILL = await describeSkill('skill://refunds', { 'SKILL.md': TEXT, 'notes.md': 'notes\n' });
const [MAIN, OTHER] = SKILL.resources as [SkillResource, SkillResource];

function refused(message: string) {
  return expect.objectContaining({ kind: 'skill-refused', message });
}

// covers: skills/no-prefetch
it('reads nothing when skills are listed or looked up, and only SKILL.md when one is opened', async () => {
  const { client, reads } = await connectedTo([SKILL], FILES);
  await listSkills(client);
  await getSkill(client, URI);
  expect(reads).toEqual([]);
  const opened = await openSkill(client, SKILL);
  expect(opened.paths).toEqual(['SKILL.md', 'notes.md']);
  expect(reads).toEqual([URI]);
  await opened.read('notes.md');
  expect(reads).toEqual([URI, NOTES]);
});

const entryWith = (change: object): Skill => ({ ...SKILL, ...change }) as Skill;
const entryWithFile = (file: object): Skill => entryWith({ resources: [MAIN, { ...OTHER, ...file }] });

// covers: skills/invalid-resources-are-not-loaded, skills/limits-of-hosts
it.each([
  ['that is no object', 7, 'a skill is not an object'],
  [
    'without a URI',
    entryWith({ uri: undefined }),
    'a skill has undefined as its URI, which is not that of a SKILL.md',
  ],
  [
    'whose URI is of another file',
    entryWith({ uri: NOTES }),
    `a skill has "${NOTES}" as its URI, which is not that of a SKILL.md`,
  ],
  [
    'whose URI escapes',
    entryWith({ uri: 'skill://a/../refunds/SKILL.md' }),
    'a skill has "skill://a/../refunds/SKILL.md" as its URI, which is not that of a SKILL.md',
  ],
  [
    'with another name than its URI',
    entryWith({ frontmatter: { name: 'other', description: 'x' } }),
    `the skill ${URI} has the name "other", which is not the last part of its path`,
  ],
  [
    'with a name that breaks the rules',
    entryWith({ uri: 'skill://A/SKILL.md', frontmatter: { name: 'A', description: 'x' } }),
    'the skill skill://A/SKILL.md: the name "A" is not allowed: use lowercase letters, digits and single hyphens between them',
  ],
  [
    'without files',
    entryWith({ resources: undefined }),
    `the skill ${URI} has neither a list of files nor "dynamic"`,
  ],
  [
    'that does not list its SKILL.md',
    entryWith({ resources: [OTHER] }),
    `the skill ${URI} does not list its SKILL.md`,
  ],
  [
    'that lists a file twice',
    entryWith({ resources: [MAIN, OTHER, OTHER] }),
    `the skill ${URI} lists ${NOTES} twice`,
  ],
  [
    'that lists a file twice in two spellings',
    entryWith({ resources: [MAIN, OTHER, { ...OTHER, uri: 'skill://refunds/n%6ftes.md' }] }),
    `the skill ${URI} lists skill://refunds/n%6ftes.md twice`,
  ],
  [
    'with a file that is also a folder',
    entryWith({ resources: [MAIN, OTHER, { ...OTHER, uri: `${NOTES}/x` }] }),
    `the skill ${URI} has "notes.md/x" in a folder that is also a file`,
  ],
  [
    'with a file of another skill',
    entryWithFile({ uri: 'skill://other/notes.md' }),
    `the skill ${URI} lists "skill://other/notes.md", which is not a file in its folder`,
  ],
  [
    'with a path that escapes',
    entryWithFile({ uri: 'skill://refunds/../../etc/passwd' }),
    `the skill ${URI} lists "skill://refunds/../../etc/passwd", which is not a file in its folder`,
  ],
  [
    'with an encoded path that escapes',
    entryWithFile({ uri: 'skill://refunds/%2e%2e/x' }),
    `the skill ${URI} lists "skill://refunds/%2e%2e/x", which is not a file in its folder`,
  ],
  [
    'with an encoded slash',
    entryWithFile({ uri: 'skill://refunds/..%2Fx' }),
    `the skill ${URI} lists "skill://refunds/..%2Fx", which is not a file in its folder`,
  ],
  [
    'with a backslash',
    entryWithFile({ uri: 'skill://refunds/..%5Cx' }),
    `the skill ${URI} lists "skill://refunds/..%5Cx", which is not a file in its folder`,
  ],
  [
    'with a NUL',
    entryWithFile({ uri: 'skill://refunds/a%00b' }),
    `the skill ${URI} lists "skill://refunds/a%00b", which is not a file in its folder`,
  ],
  [
    'with an absolute path',
    entryWithFile({ uri: 'skill://refunds//etc/passwd' }),
    `the skill ${URI} lists "skill://refunds//etc/passwd", which is not a file in its folder`,
  ],
  [
    'with a digest of another form',
    entryWithFile({ digest: 'sha1:abc' }),
    `the skill ${URI} lists ${NOTES} without a digest of the form sha256:…`,
  ],
  ['with a size below zero', entryWithFile({ size: -1 }), `the skill ${URI} lists ${NOTES} without a size`],
  [
    'with 10,000 files',
    entryWith({ resources: Array.from({ length: 10_000 }, () => MAIN) }),
    `the skill ${URI} has 10,000 files, and 512 are allowed`,
  ],
  [
    'with 1 GB',
    entryWithFile({ size: 2 ** 30 }),
    `the skill ${URI} has ${(2 ** 30 + MAIN.size).toLocaleString('en')} bytes, and 16,777,216 are allowed`,
  ],
])('an entry %s is refused, and nothing of it is read', async (_, entry, problem) => {
  const { client, reads } = await connectedTo([entry, SKILL], FILES);
  expect(await listSkills(client)).toEqual({ skills: [SKILL], refused: [problem] });
  await expect(getSkill(client, URI)).rejects.toThrow(refused(problem));
  await expect(openSkill(client, entry as Skill)).rejects.toThrow(refused(problem));
  expect(reads).toEqual([]);
});

it('a host can allow larger skills', async () => {
  const { client } = await connectedTo([entryWithFile({ size: 2 ** 30 })], FILES);
  expect((await listSkills(client, { limits: { maxBytes: 2 ** 31 } })).skills).toHaveLength(1);
});

// covers: skills/verify-on-read, skills/verify-frontmatter
it.each([
  [
    'other bytes of the same length',
    TEXT.replace('Do', 'Go'),
    undefined,
    /^skill:\/\/refunds\/SKILL.md has the digest sha256:[\da-f]{64}, and its entry says sha256:[\da-f]{64}$/,
  ],
  [
    'more bytes',
    `${TEXT}more`,
    undefined,
    new RegExp(`^${URI} has ${TEXT.length + 4} bytes, and its entry says ${TEXT.length}$`),
  ],
  [
    'no frontmatter',
    '# Refunds',
    '# Refunds',
    /^skill:\/\/refunds\/SKILL.md: it does not begin with frontmatter/,
  ],
  [
    'another field',
    TEXT.replace('MIT', 'none'),
    TEXT.replace('MIT', 'none'),
    /has another "license" in its frontmatter than its entry$/,
  ],
  [
    'a field more',
    TEXT.replace('license', 'hooks: x\nlicense'),
    TEXT.replace('license', 'hooks: x\nlicense'),
    /has another "hooks" in its frontmatter than its entry$/,
  ],
])('a SKILL.md with %s is not loaded', async (_, served, described, message) => {
  const text = described ?? TEXT;
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digest = `sha256:${Buffer.from(hash).toString('hex')}`;
  const skill = entryWith({ resources: [{ uri: URI, digest, size: bytes.length }] });
  const { client } = await connectedTo([skill], { [URI]: served });
  await expect(openSkill(client, skill)).rejects.toThrow(
    expect.objectContaining({ kind: 'skill-refused', message: expect.stringMatching(message) }),
  );
});

// covers: skills/unlisted-files
it.each([
  ['that is not listed', 'credit-note.md', `the skill ${URI} has no file "credit-note.md"`],
  [
    'outside of the folder',
    '../other/SKILL.md',
    `"../other/SKILL.md" leads out of the folder of the skill ${URI}`,
  ],
  ['with an absolute path', '/etc/passwd', `"/etc/passwd" leads out of the folder of the skill ${URI}`],
])('a file %s is not read', async (_, path, message) => {
  const { client, reads } = await connectedTo([SKILL], { ...FILES, 'skill://refunds/credit-note.md': 'new' });
  const opened = await openSkill(client, SKILL);
  await expect(opened.read(path)).rejects.toThrow(refused(message));
  expect(reads).toEqual([URI]);
});

// covers: skills/verify-on-read
it('a file that changed after the entry was fetched is refused, until the entry is fetched again', async () => {
  const files = { ...FILES };
  const entries = [SKILL];
  const { client } = await connectedTo(entries, files);
  const opened = await openSkill(client, SKILL);
  files[NOTES] = 'other\n';
  await expect(opened.read('notes.md')).rejects.toMatchObject({ kind: 'skill-refused' });
  entries[0] = await describeSkill('skill://refunds', { 'SKILL.md': TEXT, 'notes.md': 'other\n' });
  const again = await openSkill(client, await getSkill(client, URI));
  expect(new TextDecoder().decode((await again.read('notes.md')).bytes)).toBe('other\n');
});

it('a generated skill is opened only if the host allows it, and up to the limits', async () => {
  const skill = entryWith({ resources: 'dynamic' });
  const { client } = await connectedTo([skill], FILES);
  await expect(openSkill(client, skill)).rejects.toThrow(
    refused(`the skill ${URI} is generated, so its files cannot be checked`),
  );
  const limits = { maxBytes: TEXT.length };
  const opened = await openSkill(client, skill, { allowDynamic: true, limits });
  expect(opened.paths).toEqual([]);
  await expect(opened.read('notes.md')).rejects.toThrow(
    refused(`the skill ${URI} has ${TEXT.length + 6} bytes, and ${TEXT.length} are allowed`),
  );
});

it('another skill than the one that was asked for is refused', async () => {
  const { client } = await connectedTo([SKILL]);
  await expect(getSkill(client, 'skill://other/SKILL.md')).rejects.toThrow(
    refused(`the server answered with the skill "${URI}" for skill://other/SKILL.md`),
  );
});

it('a server that does not declare the extension is not asked', async () => {
  await using client = await connect(new Server({ name: 'plain', version: '1.0.0' }));
  await expect(listSkills(client)).rejects.toMatchObject({
    kind: 'not-supported',
    message: 'the server does not serve skills',
    capability: 'extensions.io.modelcontextprotocol/skills',
  });
});

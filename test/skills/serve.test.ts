import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Client, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { getSkill, listSkills, openSkill } from '../../src/node/client/skills/index.js';
import { listen } from '../../src/node/index.js';
import { describeSkill, skills } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import { skills as portableSkills, type SkillProvider } from '../../src/server/skills/index.js';
import { freshKeys } from '../keys.js';
import { folderWith, skillText } from './folders.js';

const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const PIXEL = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]);
const FILES = {
  'refunds/SKILL.md': skillText('refunds', 'license: MIT\nmetadata:\n  version: "1.0"\n'),
  'refunds/examples/e mail.md': 'Dear customer\n',
  'refunds/logo.png': PIXEL,
  'refunds/.env': 'SECRET=1',
  'acme/billing/invoices/SKILL.md': skillText('invoices'),
  'acme/billing/invoices/late/SKILL.md': skillText('late'),
};

async function shop(folder: string, options = {}): Promise<Server> {
  return new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills(folder, options)] });
}

async function connected(server: Server, revision?: string): Promise<Client> {
  const running = await listen(server, { port: 0, keys: freshKeys() });
  const client = await connect(running.url, revision === undefined ? {} : { revision });
  onTestFinished(async () => {
    await client.close();
    await running.close();
  });
  return client;
}

function sha256(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

// covers: skills/methods-are-implemented, skills/resources-are-declared, skills/nested-files-belong-to-both
// covers: skills/resources-are-complete, skills/frontmatter-is-identical, skills/unlisted-skills
it.each(REVISIONS)('serves the skills of a folder to clients of %s', async revision => {
  const client = await connected(await shop(await folderWith(FILES)), revision);
  const { skills: listed, refused } = await listSkills(client);
  expect(refused).toEqual([]);
  expect(listed.map(({ uri }) => uri)).toEqual([
    'skill://acme/billing/invoices/SKILL.md',
    'skill://acme/billing/invoices/late/SKILL.md',
    'skill://refunds/SKILL.md',
  ]);
  // The files of a skill inside of another belong to both.
  expect(listed[0]?.resources).toHaveLength(2);
  const text = FILES['refunds/SKILL.md'];
  expect(await getSkill(client, 'skill://refunds/SKILL.md')).toEqual({
    uri: 'skill://refunds/SKILL.md',
    frontmatter: {
      name: 'refunds',
      description: 'What refunds is for',
      license: 'MIT',
      metadata: { version: '1.0' },
    },
    resources: [
      { uri: 'skill://refunds/SKILL.md', digest: sha256(text), size: text.length },
      { uri: 'skill://refunds/examples/e%20mail.md', digest: sha256('Dear customer\n'), size: 14 },
      { uri: 'skill://refunds/logo.png', digest: sha256(PIXEL), size: 6 },
    ],
  });
  const opened = await openSkill(client, listed[2] as never);
  expect(opened.instructions).toBe('\nDo refunds.\n');
  expect((await opened.read('./examples/../examples/e mail.md')).mimeType).toBe('text/markdown');
  expect((await opened.read('logo.png')).bytes).toEqual(PIXEL);
});

// covers: skills/directory-unknown, skills/directory-children
it('tells clients that it reads directories, and does', async () => {
  const client = await connected(await shop(await folderWith(FILES)));
  expect(client.server.extension('io.modelcontextprotocol/skills')).toEqual({ directoryRead: true });
  const read = async (uri: string) =>
    (await client.request('resources/directory/read', { uri })).resources as { uri: string }[];
  expect(await read('skill://refunds')).toEqual([
    {
      uri: 'skill://refunds/SKILL.md',
      name: 'refunds',
      description: 'What refunds is for',
      mimeType: 'text/markdown',
      size: FILES['refunds/SKILL.md'].length,
    },
    { uri: 'skill://refunds/examples', name: 'examples', mimeType: 'inode/directory' },
    { uri: 'skill://refunds/logo.png', name: 'logo.png', mimeType: 'image/png', size: 6 },
  ]);
  expect((await read('skill://acme')).map(({ uri }) => uri)).toEqual(['skill://acme/billing']);
  for (const uri of ['skill://refunds/SKILL.md', 'skill://refunds/', 'skill://refund', 'file:///etc'])
    await expect(read(uri)).rejects.toMatchObject({
      code: -32602,
      message: `${uri} is not a directory resource`,
    });
});

// covers: skills/get-unknown, skills/read-unknown
it.each([
  ['skill://refunds/.env'],
  ['skill://refunds/../refunds/SKILL.md'],
  ['skill://refunds/%2e%2e/%2e%2e/etc/passwd'],
  ['skill://refunds/..%2f..%2fetc%2fpasswd'],
  ['skill://../etc/passwd'],
  ['skill:///etc/passwd'],
  ['skill://refunds/examples'],
  ['skill://refunds/SKILL.md?x'],
])('has no file at %s', async uri => {
  const client = await connected(await shop(await folderWith(FILES)));
  await expect(client.readResource(uri)).rejects.toMatchObject({
    code: -32602,
    message: `resource not found: ${uri}`,
  });
  await expect(client.request('skills/get', { uri })).rejects.toMatchObject({
    code: -32602,
    message: `no skill is served at ${uri}`,
  });
});

// covers: skills/skill-md-metadata
it('lists the SKILL.md of each skill as a resource, for clients without the extension', async () => {
  const client = await connected(await shop(await folderWith(FILES), { pageSize: 1 }), '2025-06-18');
  expect((await client.resources()).map(({ uri, name, mimeType }) => [uri, name, mimeType])).toEqual([
    ['skill://acme/billing/invoices/SKILL.md', 'invoices', 'text/markdown'],
    ['skill://acme/billing/invoices/late/SKILL.md', 'late', 'text/markdown'],
    ['skill://refunds/SKILL.md', 'refunds', 'text/markdown'],
  ]);
});

// covers: skills/list-pages
it('lists page by page, never splits an entry, and refuses cursors that it did not make', async () => {
  const client = await connected(await shop(await folderWith(FILES), { pageSize: 2 }));
  const first = await client.request('skills/list');
  expect(first).toMatchObject({ ttlMs: 0, cacheScope: 'private', nextCursor: expect.any(String) });
  const second = await client.request('skills/list', { cursor: first.nextCursor });
  expect(second.skills).toMatchObject([{ uri: 'skill://refunds/SKILL.md' }]);
  expect(second).not.toHaveProperty('nextCursor');
  await expect(client.request('skills/list', { cursor: 'x!' })).rejects.toMatchObject({
    code: -32602,
    message: 'unknown cursor: x!',
  });
});

it.each(['2025-06-18', '2026-07-28'])('tells clients of %s what changes while it serves', async revision => {
  const folder = await folderWith(FILES);
  const client = await connected(await shop(folder), revision);
  const { uri } = await getSkill(client, 'skill://refunds/SKILL.md');
  let next!: AsyncIterator<ServerChange>;
  let change!: Promise<IteratorResult<ServerChange>>;
  await new Promise<void>(onReady => {
    next = client.changes({ resources: [uri] }, { onReady: () => onReady() })[Symbol.asyncIterator]();
    change = next.next();
  });
  const draft = await folderWith({ 'SKILL.md': skillText('refunds', 'license: none\n') });
  await rename(join(draft, 'SKILL.md'), join(folder, 'refunds/SKILL.md'));
  expect((await change).value).toMatchObject({ kind: 'resource', uri });
  expect((await getSkill(client, uri)).frontmatter.license).toBe('none');
  await rename(join(folder, 'refunds'), join(draft, 'refunds'));
  expect((await next.next()).value).toMatchObject({ kind: 'resource', uri });
  await expect(getSkill(client, uri)).rejects.toMatchObject({ message: `no skill is served at ${uri}` });
  await next.return?.();
});

it('serves skills of a provider, on every runtime', async () => {
  const files: Record<string, string> = { 'SKILL.md': skillText('daily'), 'a b.txt': 'today' };
  const skill = await describeSkill('report://team/daily', files);
  const provider: SkillProvider = {
    scheme: 'report',
    list: () => ({ skills: [skill] }),
    get: uri => (uri === skill.uri ? skill : undefined),
    read: uri => files[decodeURIComponent(uri.replace('report://team/daily/', ''))],
  };
  const extensions = [portableSkills(provider, { cacheHint: { ttlMs: 1000, cacheScope: 'public' } })];
  const client = await connected(new Server({ name: 'reports', version: '1.0.0' }, { extensions }));
  expect(client.server.extension('io.modelcontextprotocol/skills')).toEqual({});
  expect(await client.request('skills/list')).toMatchObject({ ttlMs: 1000, cacheScope: 'public' });
  const opened = await openSkill(client, await getSkill(client, 'report://team/daily/SKILL.md'));
  expect(new TextDecoder().decode((await opened.read('a b.txt')).bytes)).toBe('today');
});

it('answers with an internal error, and tells the author, if a provider gives an entry that breaks the rules', async () => {
  const errors: string[] = [];
  const skill = {
    ...(await describeSkill('skill://daily', { 'SKILL.md': skillText('daily') })),
    uri: 'skill://x/SKILL.md',
  };
  const provider = { list: () => ({ skills: [skill] }), get: () => skill, read: () => undefined };
  const client = await connected(
    new Server(
      { name: 'reports', version: '1.0.0' },
      { extensions: [skills(provider)], onError: error => errors.push(String(error)) },
    ),
  );
  await expect(client.request('skills/list')).rejects.toMatchObject({
    code: -32603,
    message: 'internal error',
  });
  expect(errors).toEqual([
    'UsageError: the provider of skills gave an invalid entry: the skill skill://x/SKILL.md has the name "daily", which is not the last part of its path',
  ]);
});

it.each([
  [
    'a folder that is not there',
    () => skills('/nowhere/at/all'),
    'there is no folder "/nowhere/at/all"; skills needs a folder with skills',
  ],
  [
    'a provider without functions',
    () => skills({} as never),
    'skills needs a folder, or a provider with the functions list, get and read',
  ],
  [
    'an option that does not exist',
    () => skills('.', { pagesize: 2 } as never),
    'skills has no option "pagesize"; did you mean "pageSize"?',
  ],
  [
    'a page without skills',
    () => skills('.', { pageSize: 0 }),
    'pageSize must be a whole number, 1 or more, but is 0',
  ],
  [
    'a folder where there are none',
    () => portableSkills('./skills'),
    'skills reads a folder on Node only; here it needs a provider with list, get and read',
  ],
])('refuses %s at once', (_, make, message) => {
  expect(make).toThrow(expect.objectContaining({ kind: 'usage', message }));
});

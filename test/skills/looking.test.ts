import { appendFile, open, opendir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { listSkills } from '../../src/node/client/skills/index.js';
import { skills } from '../../src/node/server/skills/index.js';
import { Server } from '../../src/server/index.js';
import { folderWith, skillText } from './folders.js';

// Counts what is opened; everything works as it does.
vi.mock('node:fs/promises', async importOriginal => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  return { ...real, open: vi.fn(real.open), opendir: vi.fn(real.opendir) };
});

// As on a system that has no more watches: only requests find changes.
vi.mock('node:fs', async importOriginal => ({
  ...(await importOriginal<typeof import('node:fs')>()),
  watch() {
    throw new Error('ENOSPC: no space left on device');
  },
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

async function serve(folder: string) {
  const server = new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills(folder)] });
  const client = await connect(server);
  onTestFinished(() => client.close());
  const list = async () =>
    (await listSkills(client)).skills.map(({ frontmatter }) => frontmatter.description);
  return { client, list };
}

/** The files that were opened since the last time. */
function openedFiles(): string[] {
  const paths = vi.mocked(open).mock.calls.map(([path]) => String(path));
  vi.mocked(open).mockClear();
  return paths.map(path => path.split('/').slice(-2).join('/'));
}

it('a file of a skill is read again only when it has changed', async () => {
  const folder = await folderWith({
    'cook/SKILL.md': skillText('cook'),
    'cook/soup.md': 'Soup',
    'plain/SKILL.md': '# No frontmatter',
  });
  // What changed a moment ago is not kept: the next change may leave the same times behind.
  vi.advanceTimersByTime(10_000);
  const { list } = await serve(folder);
  expect(await list()).toEqual(['What cook is for']);
  openedFiles();
  vi.advanceTimersByTime(10_000);
  expect(await list()).toEqual(['What cook is for']);
  expect(openedFiles()).toEqual([]);
  await appendFile(join(folder, 'cook/soup.md'), ' of the day');
  vi.advanceTimersByTime(10_000);
  expect(await list()).toEqual(['What cook is for']);
  expect(new Set(openedFiles())).toEqual(new Set(['cook/soup.md']));
});

it('a folder that could not be looked through is looked through again by the next request', async () => {
  const folder = await folderWith({ 'cook/SKILL.md': skillText('cook') });
  vi.advanceTimersByTime(10_000);
  const { client, list } = await serve(folder);
  expect(await list()).toEqual(['What cook is for']);
  await writeFile(join(folder, 'cook/SKILL.md'), skillText('cook').replace('What', 'All that'));
  vi.mocked(opendir).mockRejectedValueOnce(new Error('EIO: i/o error'));
  await expect(client.readResource('skill://cook/SKILL.md')).rejects.toThrow('internal error');
  expect(await list()).toEqual(['All that cook is for']);
});

it('a folder that takes long to look through is looked through less often', async () => {
  const folder = await folderWith({ 'cook/SKILL.md': skillText('cook') });
  const real = await vi.importActual<typeof import('node:fs/promises')>('node:fs/promises');
  vi.mocked(opendir).mockImplementation(path => {
    vi.advanceTimersByTime(300);
    return real.opendir(path);
  });
  const looks = async (list: () => Promise<unknown>) => {
    vi.mocked(opendir).mockClear();
    await list();
    return vi.mocked(opendir).mock.calls.length > 0;
  };
  const { list } = await serve(folder);
  await list();
  vi.advanceTimersByTime(5_000);
  expect(await looks(list)).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(await looks(list)).toBe(true);
});

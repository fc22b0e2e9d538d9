import { Server } from 'tenon';
import { describeSkill, skills } from 'tenon/skills';
import { expect, it, onTestFinished } from 'vitest';
import { folderWith } from '../skills/folders.js';
import { findBarriers, useBrowser } from './browser.js';
import { link } from './locate.js';
import { openPage } from './open-page.js';
import { takePicture } from './pictures.js';

const SKILL = `---
name: refunds
description: Refund an order. Use when a guest complains.
license: MIT
---

# Refunds

A refund takes _one day_. Before you begin, read the letter.

1. Ask for the **number** of the order.
2. Compare the amount with the bill.

| amount     | who decides |
| ---------- | ----------- |
| up to 50 € | you         |
| more       | the chef    |
`;
const LETTER = `Dear guest, **we are sorry**.

<img src=x onerror="window.hacked = 1"> [click](javascript:window.hacked=2)
`;

const tabs = useBrowser();

it('lists skills, and shows their files, which run nothing', async () => {
  const folder = await folderWith({
    'refunds/SKILL.md': SKILL,
    'refunds/examples/letter.md': LETTER,
  });
  const page = await open(new Server({ name: 'bistro', version: '1.0.0' }, { extensions: [skills(folder)] }));
  // Its files are among the resources as well.
  await page.locator('nav a[href^="#skill="]', { hasText: 'refunds' }).click();
  await page.getByText('Refund an order. Use when a guest complains.').first().waitFor();
  const files = page.getByRole('region', { name: 'Files of the skill' });
  await files.getByRole('heading', { name: 'Refunds' }).waitFor();
  expect(await files.getByRole('listitem').allTextContents()).toContain('Ask for the number of the order.');
  expect(await findBarriers(page)).toEqual([]);
  await takePicture(page, 'skill');
  await files.getByRole('button', { name: 'examples/letter.md' }).click();
  await files.getByText('Dear guest').waitFor();
  expect(await page.locator('main :is(img, script, iframe)').count()).toBe(0);
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
});

it('shows why a skill is not used: an entry that breaks the rules, a file that is not as its entry says', async () => {
  const skill = await describeSkill('skill://refunds', { 'SKILL.md': SKILL });
  const server = new Server(
    { name: 'liar', version: '1.0.0' },
    { capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
  );
  const listed = { ttlMs: 0, cacheScope: 'private' };
  server.method('skills/list', () => ({
    ...listed,
    skills: [skill, { ...skill, uri: 'skill://../SKILL.md' }],
  }));
  server.method('skills/get', () => ({ ...listed, skill }));
  server.resource('skill://{+path}', {}, () => 'something else');
  const page = await open(server);
  await link(page, 'refunds').click();
  await page.getByText('This file must not be used').waitFor();
  await page.getByText(`${skill.uri} has 14 bytes, and its entry says`).waitFor();
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.getByText('skill://../SKILL.md').waitFor();
});

async function open(server: Server) {
  const served = await openPage(server);
  onTestFinished(() => served.close());
  return tabs.open(served.address);
}

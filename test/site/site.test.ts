import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../site/build.js';
import { findBarriers, launch, screenshotOf } from '../playground/browser.js';
import { serveFolder } from './serve-folder.js';

let folder: string;
let site: Awaited<ReturnType<typeof serveFolder>>;
let browser: Browser;
/** Where the pictures go; a folder that stays, if one is given. */
const pictures = process.env.SITE_PICTURES;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-site-'));
  await buildSite(`${folder}/site`);
  site = await serveFolder(`${folder}/site`);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  site?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a page, and lists every request that leaves for another host. */
async function open(path: string, options: BrowserContextOptions = {}, base = site.url) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  const foreign: string[] = [];
  const problems: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  page.on('pageerror', error => problems.push(String(error)));
  await page.goto(base + path);
  return { page, foreign, problems, [Symbol.asyncDispose]: () => context.close() };
}

async function takePicture(page: Page, name: string): Promise<void> {
  const { length } = await screenshotOf(page, { path: join(pictures ?? folder, `${name}.png`) });
  expect(length).toBeGreaterThan(10_000);
}

describe('the site', () => {
  it.each([
    ['over HTTP', () => site.url],
    ['from a disk', () => pathToFileURL(`${folder}/site/`).href],
  ])('finds a page by its search %s, and asks no other host', async (_, base) => {
    await using opened = await open('index.html', {}, base());
    const { page } = opened;
    await page.keyboard.press('/');
    await page.keyboard.type('toModelTools');
    const first = page.locator('#results [role=option]').first();
    await first.waitFor();
    expect(await first.textContent()).toMatch(/toModelTools|Tools for models/);
    await takePicture(page, 'search');
    await page.keyboard.press('Enter');
    await page.waitForURL(/models\.html/);
    expect(await page.locator('h1').textContent()).toMatch(/models/);
    expect(opened.foreign).toEqual([]);
    expect(opened.problems).toEqual([]);
  });

  it('finds nothing for words that no page has, and says so', async () => {
    await using opened = await open('docs/client.html');
    await opened.page.fill('#query', 'xyzzyplugh');
    await opened.page.getByText('Nothing is found for “xyzzyplugh”.').waitFor();
  });

  it.each([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true }],
  ] as const)('has no barriers, and nothing that is wider than the screen: %s', async (name, options) => {
    for (const path of ['index.html', 'docs/models.html', 'docs/reference/client.html']) {
      await using opened = await open(path, options);
      const { page } = opened;
      await takePicture(page, `${name}-${path.replaceAll('/', '-').replace('.html', '')}`);
      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]');
      expect(widths[0], path).toBeLessThanOrEqual(widths[1] as number);
      // The reference is made of the same parts, and is so long that looking at all of it takes a while.
      if (!path.includes('reference')) expect(await findBarriers(page), path).toEqual([]);
    }
  });

  it.each(['docs/migrate-from-sdk.html', 'docs/migrate-from-fastmcp.html', 'docs/server.html'])(
    'shows every column of the tables of %s beside each other on a desktop',
    async path => {
      await using opened = await open(path);
      const cut = await opened.page.evaluate<string[]>(
        `[...document.querySelectorAll('.table')].filter(table => table.scrollWidth > table.clientWidth)
          .map(table => table.querySelector('tr').innerText)`,
      );
      await opened.page.evaluate("document.querySelector('.table').scrollIntoView()");
      await takePicture(opened.page, `tables-${path.slice(5, -5)}`);
      expect(cut).toEqual([]);
    },
  );

  it('lists the page of questions right after the overview', async () => {
    await using opened = await open('index.html');
    const titles = await opened.page.locator('nav a').allInnerTexts();
    expect(titles.slice(0, 2)).toEqual(['Overview', 'Documentation: from the question to the page']);
  });

  it('shows the list of pages on a phone when it is asked for', async () => {
    await using opened = await open('docs/models.html', { viewport: { width: 390, height: 844 } });
    const link = opened.page.locator('nav').getByRole('link', { name: 'The client', exact: true });
    expect(await link.isVisible()).toBe(false);
    await opened.page.getByRole('button', { name: 'Pages' }).click();
    await takePicture(opened.page, 'phone-menu');
    await link.click();
    await opened.page.waitForURL(/client\.html/);
  });

  it('keeps the choice of light or dark', async () => {
    await using opened = await open('index.html', { colorScheme: 'light' });
    const ground = () => opened.page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    expect(await ground()).toBe('rgb(255, 255, 255)');
    await opened.page.getByRole('button', { name: 'Light or dark' }).click();
    const dark = await ground();
    expect(dark).not.toBe('rgb(255, 255, 255)');
    await opened.page.goto(`${site.url}docs/client.html`);
    expect(await ground()).toBe(dark);
  });
});

it('every link leads to a page, a heading or a picture that is there', () => {
  const root = `${folder}/site`;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const pages = new Map(
    files
      .filter(file => file.endsWith('.html'))
      .map(file => [file, readFileSync(join(root, file), 'utf8')] as const),
  );
  const dead: string[] = [];
  for (const [file, html] of pages) {
    for (const [, href] of html.matchAll(/(?:href|src)="([^"]*)"/g)) {
      const link = (href as string).replaceAll('&#38;', '&');
      if (/^(https?:|data:)/.test(link)) continue;
      const [path, anchor] = link.split('#') as [string, string | undefined];
      const target = path === '' ? file : normalize(join(dirname(file), path));
      const isThere = files.includes(target) && (!anchor || pages.get(target)?.includes(`id="${anchor}"`));
      if (!isThere) dead.push(`${file}: ${link}`);
    }
  }
  expect(dead).toEqual([]);
});

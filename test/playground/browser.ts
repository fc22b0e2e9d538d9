import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  chromium as driver,
  type Page,
  type PageScreenshotOptions,
} from 'playwright-core';
import { afterAll, beforeAll, onTestFinished, vi } from 'vitest';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
/** Those that come with the package switch off web security, which is tested here. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];

/** Opens tabs until the test is over, each in a profile of its own. */
export interface Tabs {
  open(address: string, options?: BrowserContextOptions): Promise<Page>;
}

/** Starts a browser for the tests of a file. */
export function useBrowser(): Tabs {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch();
  }, 180_000);
  afterAll(() => browser?.close());
  return {
    async open(address, options) {
      const context = await browser?.newContext({ viewport: { width: 1440, height: 900 }, ...options });
      if (!context) throw new Error('the browser has not started');
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(address);
      return page;
    },
  };
}

/** The browser of the system, if it has one; otherwise the one that comes with the packages. */
export async function launch(): Promise<Browser> {
  const executablePath = existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : await chromium.executablePath();
  return driver.launch({ executablePath, args: ARGUMENTS, headless: true });
}

/** A picture of a page. On a busy machine Chromium has nothing to capture for a moment, and says so at once. */
export function screenshotOf(page: Page, options: PageScreenshotOptions): Promise<Buffer> {
  return vi.waitFor(() => page.screenshot(options), { timeout: 120_000, interval: 200 });
}

/** The rules of axe that the page breaks, each with its elements. Only serious ones count. */
export async function findBarriers(page: Page): Promise<string[]> {
  const source = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(' ')}`);
  });
}

interface Violation {
  id: string;
  impact: string;
  nodes: { html: string }[];
}

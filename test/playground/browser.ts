import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';
/** Those that come with the package switch off web security, which is tested here. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'];

/** The browser of the system, if it has one; otherwise the one that comes with the packages. */
export async function launch(): Promise<Browser> {
  const executablePath = existsSync(SYSTEM_CHROMIUM) ? SYSTEM_CHROMIUM : await chromium.executablePath();
  return driver.launch({ executablePath, args: ARGUMENTS, headless: true });
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

import { existsSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as driver, type Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';

const SYSTEM_CHROMIUM = '/usr/bin/chromium';

interface PageFunctions {
  useServer(url: string, revision?: string): Promise<object>;
}

let script: string;
let pages: HttpServer;
let listening: RunningHttpServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  script = await bundle();
  pages = createServer((request, response) => {
    const isScript = request.url === '/page.js';
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? script : '<!doctype html><script type="module" src="/page.js"></script>');
  });
  await new Promise<void>(resolve => pages.listen(0, '127.0.0.1', resolve));
  listening = await listen(createBistro(), { port: 0 });
  browser = await launch();
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  await page.waitForFunction(() => 'useServer' in globalThis);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await listening?.close(0);
  pages?.close();
});

describe('the client in a browser', () => {
  it('is bundled without anything of node', () => {
    expect(script).not.toMatch(/["']node:/);
    expect(script).not.toMatch(/\brequire\(/);
  });

  it.each([
    [undefined, '2026-07-28'],
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
  ])('lists and calls over HTTP, asked for revision %s', async (asked, spoken) => {
    const use = ({ url, revision }: { url: string; revision: string | undefined }) =>
      (globalThis as unknown as PageFunctions).useServer(url, revision);
    expect(await page.evaluate(use, { url: listening.url, revision: asked })).toEqual({
      revision: spoken,
      tools: ['reserve'],
      structuredContent: { restaurant: 'Chez Nous', guests: 4 },
    });
  });
});

function createBistro(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool(
    'reserve',
    {
      input: z.object({ restaurant: z.string() }),
      output: z.object({ restaurant: z.string(), guests: z.number() }),
    },
    async ({ restaurant }, ctx) => {
      const party = await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
      return { restaurant, guests: party.action === 'accept' ? party.content.guests : 0 };
    },
  );
  return server;
}

/** The page's script, bundled for browsers. */
async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      rollupOptions: { output: { inlineDynamicImports: true } },
      lib: { entry: fileURLToPath(new URL('page.ts', import.meta.url)), formats: ['es'], fileName: 'page' },
    },
  });
  const [{ output }] = result as unknown as [{ output: { code: string }[] }];
  return output.map(({ code }) => code).join('\n');
}

/** The browser of the system, if it has one; otherwise the one that comes with the packages. */
async function launch(): Promise<Browser> {
  const own = existsSync(SYSTEM_CHROMIUM);
  const executablePath = own ? SYSTEM_CHROMIUM : await chromium.executablePath();
  const args = [
    ...(own ? ['--no-sandbox'] : chromium.args),
    '--disable-background-networking',
    '--disable-sync',
  ];
  return driver.launch({ executablePath, args, headless: true });
}

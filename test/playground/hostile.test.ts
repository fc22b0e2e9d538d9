import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { Server } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { useBrowser } from './browser.js';
import { hostileText } from './hostile-text.js';
import { openPage } from './open-page.js';

const SCRIPT = '<script>window.hacked = 1</script><img src="x" onerror="window.hacked = 2">';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="window.hacked = 3"><script>window.hacked = 4</script><rect width="9" height="9"/></svg>`;
const MARKDOWN = `# ${SCRIPT}

[click](javascript:window.hacked=5) [data](data:text/html,<script>window.hacked=6</script>)
![picture](https://tracker.example/pixel.png)

<iframe srcdoc="<script>parent.hacked = 7</script>"></iframe>

| ${SCRIPT} |
| --- |
| [x](vbscript:window.hacked=8) |
`;

const tabs = useBrowser();

it('runs nothing and loads nothing of what a hostile server sends', async () => {
  const page = await open(createHostileServer());
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await page.getByRole('link', { name: 'attack' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'The server asks' }).waitFor();
  await page.getByRole('textbox', { name: SCRIPT }).fill('an answer');
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('the end').waitFor();
  await page.getByText('click').first().click();
  await page.getByRole('button', { name: 'Raw JSON' }).click();

  expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
  expect(await page.locator('main :is(script, iframe, object, embed, svg)').count()).toBe(0);
  expect(await page.locator(':is([href], [src]):is([href^="javascript:" i], [src^="http"])').count()).toBe(0);
  const { origin } = new URL(page.url());
  expect(requests.filter(url => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([]);
});

it('keeps a result within its column, however long its words are', async () => {
  const server = new Server({ name: 'hostile', version: '1.0.0' });
  const word = 'x'.repeat(2000);
  server.tool('attack', { output: z.record(z.string(), z.string()) }, () => ({ [word]: word }));
  const page = await open(server);
  await page.getByRole('link', { name: 'attack' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Done in').waitFor();
  const excess = await page.locator('main').evaluate(main => main.scrollWidth - main.clientWidth);
  expect(excess).toBe(0);
});

it('makes no element and no attribute of any text that a server sends', async () => {
  const texts = fc.sample(hostileText, { numRuns: 300, seed: 14 });
  const server = new Server({ name: 'hostile', version: '1.0.0' });
  const isMarkdown = (at: number) => ({ mimeType: at % 2 === 0 ? 'text/markdown' : 'text/html' });
  server.tool('attack', {}, () => [
    ...texts.map((text, at) => ({
      type: 'resource' as const,
      resource: { uri: `evil://${at}`, text, ...isMarkdown(at) },
    })),
    'the end',
  ]);
  const page = await open(server);
  const requests: string[] = [];
  page.on('request', request => requests.push(request.url()));
  await page.getByRole('link', { name: 'attack' }).click();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('the end').waitFor();

  const found = await page.evaluate(`[...document.querySelectorAll('.lane *')].flatMap(element => [
    ...(/^(script|iframe|object|embed|svg|math|style|link|img|form|base|meta)$/i.test(element.tagName) ? [element.tagName] : []),
    ...[...element.attributes].flatMap(({ name, value }) =>
      /^on/i.test(name) || (/^(href|src|srcdoc|action|xlink:href)$/i.test(name) && !/^(https?:|mailto:|#)/.test(value)) ? [name + '=' + value] : []),
  ])`);
  expect(found).toEqual([]);
  expect(await page.locator('.resource-content').count()).toBe(texts.length);
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  const { origin } = new URL(page.url());
  expect(requests.filter(url => !url.startsWith(origin))).toEqual([]);
});

function createHostileServer(): Server {
  const svg = Buffer.from(SVG).toString('base64');
  const server = new Server(
    {
      name: 'hostile',
      version: '1.0.0',
      title: SCRIPT,
      icons: [{ src: 'https://tracker.example/icon.png' }],
    },
    { instructions: MARKDOWN },
  );
  server.tool(
    'attack',
    {
      title: `attack ${SCRIPT}`,
      description: MARKDOWN,
      icons: [{ src: `data:image/svg+xml;base64,${svg}` }],
      input: z.object({ text: z.string().optional().describe(SCRIPT) }),
    },
    async (_args, ctx) => {
      const form = z.object({ name: z.string().meta({ title: SCRIPT, description: SCRIPT }) });
      await ctx.elicit(SCRIPT, form);
      return [
        { type: 'text', text: SCRIPT },
        { type: 'text', text: MARKDOWN },
        { type: 'image', data: svg, mimeType: 'image/svg+xml' },
        { type: 'image', data: svg, mimeType: 'text/html' },
        { type: 'resource', resource: { uri: 'evil://html', mimeType: 'text/html', text: SCRIPT } },
        { type: 'resource_link', uri: 'javascript:window.hacked=9', name: 'link' },
        { type: 'text', text: 'the end' },
      ];
    },
  );
  return server;
}

async function open(server: Server): Promise<Page> {
  const served = await openPage(server);
  onTestFinished(() => served.close());
  return tabs.open(served.address);
}

import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { build } from 'esbuild';
import { Server } from 'tenon';
import { app } from 'tenon/apps';
import { appSandbox } from 'tenon/apps/host';
import { listen } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ROOT } from '../architecture/sources.js';
import { useBrowser } from '../playground/browser.js';
import { codeBlocks } from './blocks.js';

const tabs = useBrowser();

/** An app that shows what it hears from its host, and wants to open a link. */
const APP = `<!doctype html>
<title>Forecast</title>
<p id="result"></p><p id="theme"></p>
<script>
  const post = message => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ data: { id, method, params, result } }) => {
    const theme = (result?.hostContext ?? params)?.theme;
    if (theme) document.getElementById('theme').textContent = theme;
    if (id === 'begin') post({ method: 'ui/notifications/initialized' });
    if (method === 'ui/notifications/tool-result') {
      document.getElementById('result').textContent = params.content[0].text;
      post({ id: 'link', method: 'ui/open-link', params: { url: 'https://weather.example/paris' } });
    }
    if (method === 'ui/resource-teardown') post({ id, result: {} });
  });
  const appInfo = { name: 'forecast', version: '1.0.0' };
  const params = { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} };
  post({ id: 'begin', method: 'ui/initialize', params });
</script>`;

it('the page on hosts shows an app in a browser, as it stands there', async () => {
  const server = new Server({ name: 'weather', version: '1.0.0' });
  const ui = app({ html: APP });
  server.tool('forecast', { input: z.object({ city: z.string() }), ui }, ({ city }) => `${city}: 15 °C`);
  const { url, close } = await listen(server, { port: 0 });
  onTestFinished(() => close());

  let script = '';
  const host = await serveFetch(({ url }) =>
    url.endsWith('.js')
      ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
      : new Response('<!doctype html><iframe></iframe><script type="module" src="host.js"></script>', {
          headers: { 'content-type': 'text/html' },
        }),
  );
  const sandbox = await serveFetch(appSandbox({ hosts: [host] }));
  script = await bundleHost(url, sandbox);

  const tab = await tabs.open(host);
  const shown = tab.frameLocator('iframe').frameLocator('iframe');
  await shown.getByText('Paris: 15 °C').waitFor();
  await shown.getByText('dark').waitFor();
  await expect.poll(() => tab.evaluate('opened')).toEqual(['https://weather.example/paris']);
  expect(await tab.evaluate('asked')).toEqual(['start', 'link']);

  await tab.evaluate('change()');
  await shown.getByText('light').waitFor();
  await tab.evaluate('finish()');
  await shown.getByText('light').waitFor({ state: 'detached' });
});

/** The snippets of the page as one script: what it needs stands before them, and the last waits until it is called. */
function bundleHost(url: string, sandbox: string): Promise<string> {
  const blocks = codeBlocks('docs/apps-host.md').filter(({ runsAs }) => runsAs === 'script in a browser');
  const [connects = '', shows = '', ends = ''] = blocks.map(({ code }) => code);
  const [changes = '', closes = ''] = ends.split(/(?<=\n)/);
  return bundle(`
    const url = ${JSON.stringify(url)};
    const [asked, opened] = [[], []];
    const askTheUser = async ({ kind }, signal) => asked.push(kind) > 0 && !signal.aborted;
    const openInNewTab = url => opened.push(url);
    ${connects}
    ${shows.replace('https://apps.example/', sandbox)}
    const change = () => { ${changes} };
    const finish = async () => { ${closes} };
    Object.assign(globalThis, { asked, opened, change, finish });
  `);
}

async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** Serves on loopback until the test is over. Returns the origin. */
async function serveFetch(fetch: (request: Request) => Response): Promise<string> {
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => void server.close());
  await new Promise(resolve => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

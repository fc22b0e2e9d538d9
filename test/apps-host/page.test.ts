import { Server, type Tool } from 'tenon';
import { appsExtension, appUriOf, isForApps, isForModels, loadApp } from 'tenon/apps/host';
import { connect } from 'tenon/client';
import { expect, it, onTestFinished } from 'vitest';

const URI = 'ui://weather/dashboard';
const TYPE = 'text/html;profile=mcp-app';
const HTML = '<p>Sunny</p>';

it.each([
  ['the specification', { ui: { resourceUri: URI } }],
  ['drafts of the extension', { 'ui/resourceUri': URI }],
  ['the Apps SDK of OpenAI', { 'openai/outputTemplate': URI }],
])('finds the app of a tool in the spelling of %s', (_, _meta) => {
  expect(appUriOf(toolWith(_meta))).toBe(URI);
});

it('finds no app where the URI is none of an app', () => {
  expect(appUriOf(toolWith({}))).toBeUndefined();
  expect(appUriOf(toolWith({ ui: { resourceUri: 'https://evil.example/app' } }))).toBeUndefined();
  expect(appUriOf(toolWith({ ui: 'ui://weather' }))).toBeUndefined();
});

it.each([
  [{}, true, true],
  [{ ui: { visibility: ['app'] } }, true, false],
  [{ ui: { visibility: ['model'] } }, false, true],
  [{ ui: { visibility: [] } }, false, false],
  [{ ui: { visibility: 'app' } }, false, false],
  [{ 'openai/widgetAccessible': false }, false, true],
  [{ 'openai/visibility': 'private' }, true, false],
])('reads who may call a tool from %j', (_meta, app, model) => {
  expect([isForApps(toolWith(_meta)), isForModels(toolWith(_meta))]).toEqual([app, model]);
});

it.each([TYPE, 'text/html; profile="mcp-app"; charset=utf-8', 'TEXT/HTML;PROFILE=mcp-app', 'text/html+mcp'])(
  'takes a page of the type %s',
  async mimeType => {
    expect(await load({ mimeType, text: HTML })).toMatchObject({ uri: URI, html: HTML });
  },
);

it('takes a page as base64, and the policy and permissions that it declares', async () => {
  const csp = { connectDomains: ['https://api.example'] };
  const ui = { csp, permissions: { camera: {}, usb: {} }, prefersBorder: false };
  const blob = Buffer.from(HTML).toString('base64');
  expect(await load({ mimeType: TYPE, blob, _meta: { ui } })).toEqual({
    uri: URI,
    html: HTML,
    csp,
    permissions: { camera: {} },
    prefersBorder: false,
  });
});

it('reads the policy in the spelling of the Apps SDK of OpenAI', async () => {
  const old = { connect_domains: ['https://api.example'], resource_domains: ['https://cdn.example'] };
  const { csp } = await load({ mimeType: TYPE, text: HTML, _meta: { 'openai/widgetCSP': old } });
  expect(csp).toEqual({ connectDomains: ['https://api.example'], resourceDomains: ['https://cdn.example'] });
});

it('takes the policy of the listed resource if the page has none', async () => {
  const ui = { csp: { connectDomains: ['https://listed.example'] } };
  const { csp } = await load({ mimeType: TYPE, text: HTML }, { ui });
  expect(csp).toEqual({ connectDomains: ['https://listed.example'] });
});

it.each([
  [{ text: HTML }, `${URI} has the type undefined, and an app has ${TYPE}`],
  [{ mimeType: 'text/html', text: HTML }, `${URI} has the type "text/html", and an app has ${TYPE}`],
  [{ mimeType: 'text/html+skybridge', text: HTML }, `${URI} has the type "text/html+skybridge"`],
  [{ mimeType: TYPE, text: ' '.repeat(8 * 1024 * 1024 + 1) }, `${URI} has 8388609 bytes`],
  [{ uri: 'ui://other', mimeType: TYPE, text: HTML }, `the server answered with no content for ${URI}`],
])('refuses what is no page of an app: case %#', async (content, message) => {
  await expect(load(content)).rejects.toMatchObject({
    kind: 'app-refused',
    message: expect.stringContaining(message),
  });
});

// covers: apps/host-declares-types
it('declares to servers that the host shows apps', async () => {
  const server = new Server({ name: 'weather', version: '1.0.0' });
  server.tool('look', {}, (_, ctx) => JSON.stringify(ctx.extension('io.modelcontextprotocol/ui') ?? null));
  const client = await connect(server, { extensions: [appsExtension] });
  onTestFinished(() => client.close());
  expect(await client.callTool('look')).toMatchObject({ content: [{ text: `{"mimeTypes":["${TYPE}"]}` }] });
});

function toolWith(_meta: NonNullable<Tool['_meta']>): Tool {
  return { name: 'look', inputSchema: { type: 'object' }, _meta };
}

/** Loads the app of a server that answers with this content, and lists the resource with this metadata. */
function load(content: object, listed?: Record<string, unknown>) {
  return loadApp(
    {
      tools: async () => [],
      resources: async () => [{ uri: URI, name: 'dashboard', ...(listed && { _meta: listed }) }],
      request: async () => ({ contents: [{ uri: URI, ...content }] }),
    },
    URI,
  );
}

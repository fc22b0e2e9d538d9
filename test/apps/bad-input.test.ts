import { expect, it } from 'vitest';
import { app, visibleTo } from '../../src/node/server/apps/index.js';
import { app as portableApp } from '../../src/server/apps/index.js';
import { Server, type ToolUi, UsageError } from '../../src/server/index.js';
import { fileWith, htmlOf } from './pages.js';

const PAGE = { html: htmlOf('a') };
const USAGE = "app takes a file, app('./chart.html'), or a page, app({ html })";
const ORIGINS =
  'must have origins, as https://api.example.com, https://*.example.com or http://localhost:5173, not';
const NO_PERMISSION =
  'is no permission of an app; it can ask for camera, microphone, geolocation, clipboardWrite';

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

// covers: apps/uri-scheme, apps/valid-html
it.each<[what: string, page: unknown, options: unknown, message: string]>([
  ['nothing', undefined, {}, USAGE],
  ['a number', 1, {}, USAGE],
  ['no page', {}, {}, 'the html of an app is not a text, but undefined'],
  ['a page that is no text', { html: 1 }, {}, 'the html of an app is not a text, but 1'],
  ['both a page and a file', { html: htmlOf('a'), file: './a.html' }, {}, `${USAGE}, not both`],
  ['a file in an object', { file: './a.html' }, {}, USAGE],
  [
    'an option beside the page',
    { ...PAGE, csp: {} },
    {},
    '"csp" goes into the second argument: app({ html }, { csp })',
  ],
  [
    'an empty page',
    { html: '' },
    {},
    'the html of an app is not an HTML document: it must begin with <!doctype html>; comments may stand before it',
  ],
  [
    'a fragment',
    { html: '<p>' },
    {},
    'the html of an app is not an HTML document: it must begin with <!doctype html>; comments may stand before it',
  ],
  [
    'HTML in place of a path',
    htmlOf('a'),
    {},
    'app takes the path of a page; give it the page itself as app({ html })',
  ],
  [
    'the address of a page',
    'https://example.com/a.html',
    {},
    "app reads a file, not https://example.com/a.html: give it a path, or new URL('chart.html', import.meta.url)",
  ],
  [
    'the URL of a page',
    new URL('https://example.com/a.html'),
    {},
    "app reads a file, not https://example.com/a.html: give it a path, or new URL('chart.html', import.meta.url)",
  ],
  [
    'a missing file',
    '/nowhere/a.html',
    {},
    'there is no file "/nowhere/a.html"; an app needs its page: build it first, or correct the path',
  ],
  ['a folder', '/', {}, 'there is no file "/"; an app needs its page: build it first, or correct the path'],
  [
    'a page of more than 8 MiB',
    { html: htmlOf('ü'.repeat(4 * 1024 * 1024)) },
    {},
    'the html of an app is too large: 8388640 bytes, but at most 8388608 are served; leave large parts to tools or resources',
  ],
  ['options that are none', PAGE, 'x', 'the options of an app must be an object'],
  [
    'an unknown option',
    PAGE,
    { prefersborder: true },
    'an app has no option "prefersborder"; did you mean "prefersBorder"?',
  ],
  [
    'visibility as an option',
    PAGE,
    { visibility: ['app'] },
    'an app has no option "visibility"; it has uri, name, title, description, csp, permissions, domain, prefersBorder, cacheHint, scopes, authorize, hidden',
  ],
  [
    'another scheme',
    PAGE,
    { uri: 'https://a' },
    'the uri of an app must begin with "ui://", as ui://chart/view.html, not "https://a"',
  ],
  [
    'no authority',
    PAGE,
    { uri: 'ui:chart' },
    'the uri of an app must begin with "ui://", as ui://chart/view.html, not "ui:chart"',
  ],
  [
    'a URI that is none',
    PAGE,
    { uri: 5 },
    'the uri of an app must begin with "ui://", as ui://chart/view.html, not 5',
  ],
  [
    'a template',
    PAGE,
    { uri: 'ui://{chart}' },
    'the uri of an app must begin with "ui://", as ui://chart/view.html, not "ui://{chart}"',
  ],
  [
    'an unknown policy',
    PAGE,
    { csp: { scripts: [] } },
    'the csp of an app has no option "scripts"; it has connectDomains, resourceDomains, frameDomains, baseUriDomains',
  ],
  [
    'a policy that is a text',
    PAGE,
    { csp: "default-src 'self'" },
    'the options of the csp of an app must be an object',
  ],
  [
    'one origin in place of a list',
    PAGE,
    { csp: { connectDomains: 'https://a.example' } },
    'connectDomains in the csp of an app must be a list: ["https://api.example.com"]',
  ],
  ...[
    'api.example.com',
    'http://a.example',
    'ws://a.example',
    'http://localhost.example',
    'https://',
    'https://a.example/',
    'https://a.example/path',
    'https://a.example?x',
    'https://a.example; script-src *',
    "https://a.example 'unsafe-eval'",
    "'unsafe-eval'",
    '*',
    'https://*',
    'https://a.*.example',
    'data:',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'https://user@a.example',
    'https://a.example:123456',
    'https://a..example',
    'https://a.example\nhttps://b.example',
    '',
  ].map((origin): [string, unknown, unknown, string] => [
    `the origin ${JSON.stringify(origin)}`,
    PAGE,
    { csp: { resourceDomains: ['https://good.example', origin] } },
    `resourceDomains in the csp of an app ${ORIGINS} ${JSON.stringify(origin)}`,
  ]),
  [
    'an origin that is no text',
    PAGE,
    { csp: { frameDomains: [null] } },
    `frameDomains in the csp of an app ${ORIGINS} null`,
  ],
  ['an unknown permission', PAGE, { permissions: ['usb'] }, `"usb" ${NO_PERMISSION}`],
  ['a permission of every object', PAGE, { permissions: ['toString'] }, `"toString" ${NO_PERMISSION}`],
  [
    'permissions as on the wire',
    PAGE,
    { permissions: { camera: {} } },
    'the permissions of an app must be a list: ["camera"]',
  ],
  [
    'a domain with a path',
    PAGE,
    { domain: 'a.example/x' },
    'the domain of an app must be a host name or an origin, not "a.example/x"',
  ],
  [
    'a domain that is none',
    PAGE,
    { domain: '' },
    'the domain of an app must be a host name or an origin, not ""',
  ],
  [
    'a border that is no choice',
    PAGE,
    { prefersBorder: 'yes' },
    'prefersBorder of an app must be true or false, not "yes"',
  ],
])('refuses %s', (_, page, options, message) => {
  expect(refusal(() => app(page as never, options as never))).toBe(message);
});

it('refuses a file that is no text', async () => {
  const file = await fileWith(Uint8Array.from([0x3c, 0xff, 0xfe]));
  expect(refusal(() => app(file))).toBe(`the page ${file} is not text in UTF-8`);
});

it('refuses a file of more than 8 MiB without reading it', async () => {
  const file = await fileWith(new Uint8Array(8 * 1024 * 1024 + 1));
  expect(refusal(() => app(file))).toBe(
    `the page ${file} is too large: 8388609 bytes, but at most 8388608 are served; leave large parts to tools or resources`,
  );
});

it('refuses a file on runtimes without files', () => {
  expect(refusal(() => portableApp('./chart.html'))).toBe(
    'app reads a file on Node only; here it needs the page itself: app({ html })',
  );
});

it.each<[what: string, ui: () => ToolUi, message: string]>([
  ['nobody', () => visibleTo(), 'a tool is visible to "model", to "app" or to both, not to nobody'],
  [
    'somebody else',
    () => visibleTo('user' as never),
    'a tool is visible to "model", to "app" or to both, not to "user"',
  ],
  [
    'a list',
    () => app(PAGE).visibleTo(['app'] as never),
    'a tool is visible to "model", to "app" or to both, not to an array',
  ],
])('refuses a tool that is visible to %s', (_, ui, message) => {
  expect(refusal(ui)).toBe(message);
});

it.each<[what: string, register: (server: Server) => unknown, message: string]>([
  [
    'a path in place of an app',
    server => server.tool('chart', { ui: './chart.html' as never }, () => ''),
    'ui of tool "chart" must be an app of tenon/apps',
  ],
  [
    'null in place of an app',
    server => server.tool('chart', { ui: null as never }, () => ''),
    'ui of tool "chart" must be an app of tenon/apps',
  ],
  [
    'its metadata twice',
    server => server.tool('chart', { ui: app(PAGE), meta: { ui: { resourceUri: 'ui://a' } } }, () => ''),
    'tool "chart" has "ui" in its meta and an app in ui, which writes it: remove one',
  ],
  [
    'its metadata in the old spelling, too',
    server => server.tool('chart', { ui: app(PAGE), meta: { 'ui/resourceUri': 'ui://a' } }, () => ''),
    'tool "chart" has "ui/resourceUri" in its meta and an app in ui, which writes it: remove one',
  ],
  [
    'the URI of the app of another tool',
    server => {
      server.tool('chart', { ui: app(PAGE, { uri: 'ui://bistro/a' }) }, () => '');
      server.tool('table', { ui: app(PAGE, { uri: 'ui://bistro/a' }) }, () => '');
    },
    'the tools "chart" and "table" have different apps with the URI ui://bistro/a: give one of them another uri, or both the same app',
  ],
  [
    'the URI of a resource',
    server => {
      server.resource('ui://chart/view.html', {}, () => '');
      server.tool('chart', { ui: app(PAGE) }, () => '');
    },
    'resource "ui://chart/view.html" is already registered; use the handle\'s replace() or remove() first',
  ],
  [
    'a page that others see, though it is hidden',
    server => server.tool('chart', { ui: app(PAGE), scopes: ['admin'], hidden: 'unless-allowed' }, () => ''),
    'tool "chart" is hidden, but its app is open to every caller: give the app scopes or authorize, too',
  ],
  [
    'a URI with a space',
    server => server.tool('chart', { ui: app(PAGE, { uri: 'ui://a b' }) }, () => ''),
    '"ui://a b" is not a URI; a resource needs one such as menu://today',
  ],
])('refuses a tool with %s', (_, register, message) => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  expect(refusal(() => register(server))).toBe(message);
});

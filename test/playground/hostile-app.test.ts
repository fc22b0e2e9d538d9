import type { Frame, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useBrowser } from './browser.js';
import { addFramingApp, createHostileServer, startTracker } from './hostile-app.js';
import { lane } from './locate.js';
import { openPage } from './open-page.js';

const tabs = useBrowser();
const { server, ran } = createHostileServer();
let address: string;
let tracker: Awaited<ReturnType<typeof startTracker>>;

beforeAll(async () => {
  tracker = await startTracker();
  addFramingApp(server, tracker.url);
  const served = await openPage(server);
  address = served.address;
  return async () => {
    tracker.close();
    await served.close();
  };
});

beforeEach(() => {
  ran.length = 0;
  tracker.heard.length = 0;
});

describe('a hostile app', () => {
  // covers: apps/host-does-not-loosen, apps/sandbox-enforces-the-policy
  it('reaches no other host, by whatever way', async () => {
    const { app } = await show();
    const outcome = await app.evaluate(`(async () => {
      const url = ${JSON.stringify(tracker.url)};
      const add = (tag, members) => document.body.append(Object.assign(document.createElement(tag), members));
      add('img', { src: url + 'img' });
      add('script', { src: url + 'script' });
      add('link', { rel: 'stylesheet', href: url + 'style' });
      add('link', { rel: 'prefetch', href: url + 'prefetch' });
      add('link', { rel: 'preconnect', href: url });
      add('video', { src: url + 'video' });
      add('object', { data: url + 'object' });
      add('style', { textContent: '@import "' + url + 'import"; body { background: url(' + url + 'background) }' });
      add('base', { href: url });
      navigator.sendBeacon(url + 'beacon', 'secret');
      try { new WebSocket(url.replace('http', 'ws') + 'socket'); } catch {}
      try { new EventSource(url + 'events'); } catch {}
      try { new Worker(url + 'worker'); } catch {}
      const fetched = await fetch(url + 'fetch').then(() => 'reached', error => error.name);
      return { fetched, base: document.baseURI.startsWith(url) };
    })()`);
    expect(outcome).toEqual({ fetched: 'TypeError', base: false });
    expect(tracker.heard).toEqual([]);
  });

  it('has no WebRTC, which no policy covers, and gets none from a frame inside it', async () => {
    const { app } = await show();
    const connect = `new RTCPeerConnection({ iceServers: [{ urls: '${tracker.stun}' }] })`;
    const outcome = await app.evaluate(`(async () => {
      const attempt = action => { try { return String(action()); } catch (error) { return error.name; } };
      const frame = document.createElement('iframe');
      frame.srcdoc = '<script>parent.postMessage("it runs", "*"); ' + ${JSON.stringify(connect)} + '</' + 'script>';
      const host = document.createElement('div');
      document.body.append(frame, host);
      host.attachShadow({ mode: 'closed' }).append(frame.cloneNode());
      const tried = [attempt(() => ${connect}), attempt(() => frame.contentWindow.RTCPeerConnection)];
      await call('ping');
      return [...tried, frame.isConnected, frames.length, heard.includes('it runs')];
    })()`);
    expect(outcome).toEqual(['TypeError', 'SecurityError', false, 0, false]);
    expect(tracker.heard).toEqual([]);
  });

  it.each(['declared', 'written', 'written-in-parts'])(
    'has no frame in a shadow root that its HTML makes: %s',
    async name => {
      const app = await ready(await run(`show_${name}`));
      expect(await app.evaluate(`call('ping')`)).toEqual({});
      expect(await app.evaluate(`heard.filter(said => typeof said === 'string')`)).toEqual([]);
      expect(app.childFrames()).toEqual([]);
    },
  );

  it.each([
    ['clones a shadow root', `(inner.append(frame), document.body.append(outer.cloneNode(true)))`],
    ['sets HTML with a shadow root', `document.body.setHTMLUnsafe(hidden)`],
    [
      'parses HTML with a shadow root',
      `document.body.append(document.adoptNode(Document.parseHTMLUnsafe(hidden).body))`,
    ],
    [
      'replaces the functions that find frames',
      `(NodeList.prototype.forEach = Element.prototype.remove = () => {},
        Document.prototype.querySelectorAll = Document.prototype.querySelector = () => null,
        document.body.append(frame))`,
    ],
    [
      'replaces what watches shadow roots',
      `(globalThis.MutationObserver = class { observe() {} },
        document.body.append(other), other.attachShadow({ mode: 'closed' }).append(frame))`,
    ],
    [
      'takes the function behind attachShadow',
      `(Function.prototype.call = function (...given) { globalThis.taken ??= this; return Reflect.apply(this, given[0], given.slice(1)); },
        other.attachShadow({ mode: 'closed' }), document.body.append(outer),
        Reflect.apply(globalThis.taken ?? (() => inner), document.body, [{ mode: 'closed' }]).append(frame))`,
    ],
  ])('has no frame that the guard of its page does not see: it %s', async (_, attack) => {
    const { app } = await show();
    await app.evaluate(`(async () => {
      const frame = document.createElement('iframe');
      frame.srcdoc = '<script>parent.postMessage("hidden " + typeof RTCPeerConnection, "*")</' + 'script>';
      const hidden = '<div><template shadowrootmode="closed">' + frame.outerHTML + '</template></div>';
      const [outer, other] = [document.createElement('div'), document.createElement('div')];
      const inner = outer.attachShadow({ mode: 'closed', clonable: true });
      try { ${attack} } catch {}
    })()`);
    await app.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))');
    expect(await app.evaluate(`heard.filter(said => typeof said === 'string')`)).toEqual([]);
    expect(app.childFrames()).toEqual([]);
  });

  it.each([
    ['sets its address', 'void (location.href = url)'],
    [
      'refreshes itself',
      `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=' + url }))`,
    ],
    ['clicks on a link', `Object.assign(document.createElement('a'), { href: url }).click()`],
    [
      'sends a form',
      `(form => (document.body.append(form), form.submit()))(Object.assign(document.createElement('form'), { action: url }))`,
    ],
  ])('is ended when it navigates its frame, and nothing is loaded: it %s', async (_, attack) => {
    const { page, app } = await show();
    await app.evaluate(`(url => { ${attack} })(${JSON.stringify(`${tracker.url}leave?secret`)})`);
    await page.getByText('The app was ended: the app left its page.').waitFor();
    expect(tracker.heard).toEqual([]);
    expect(innerFrame(page)).toBeUndefined();
  });

  it('is ended when it navigates its frame to a host that it may show in frames, and nothing is loaded', async () => {
    const page = await run('show_framing');
    await page.getByRole('button', { name: 'Show the app' }).click();
    const app = await ready(page);
    const loaded = `new Promise(resolve => {
      const frame = Object.assign(document.createElement('iframe'), { src: '${tracker.url}inside', onload: () => resolve('loaded') });
      document.body.append(frame);
    })`;
    expect(await app.evaluate(loaded)).toBe('loaded');
    expect(tracker.heard).toEqual(['GET /inside']);
    await app.evaluate(`void (location.href = '${tracker.url}leave?secret')`);
    await page.getByText('The app was ended: the app left its page.').waitFor();
    expect(tracker.heard).toEqual(['GET /inside']);
  });

  it.each([
    ['empties itself', `location.href = 'about:blank'`],
    ['loads itself again', 'location.reload()'],
    ['goes to the page of its sandbox', `location.search = ''`],
    ['replaces itself', `document.open(); document.write('<p>other</p>'); document.close()`],
  ])('is ended when it leaves its page without loading another: it %s', async (_, attack) => {
    const { page, app } = await show();
    await app.evaluate(`setTimeout(() => { ${attack} })`);
    await page.getByText('The app was ended: the app left its page.').waitFor();
    expect(innerFrame(page)).toBeUndefined();
  });

  // covers: apps/host-sandboxes, apps/host-has-another-origin
  it('opens no window and no dialog, and navigates nobody else', async () => {
    const { page, app } = await show();
    const opened: unknown[] = [];
    page.context().on('page', other => opened.push(other.url()));
    page.on('dialog', dialog => opened.push(dialog.message()));
    const outcome = await app.evaluate(`(() => {
      const attempt = action => { try { return String(action()); } catch (error) { return error.name; } };
      const url = ${JSON.stringify(tracker.url)};
      const link = Object.assign(document.createElement('a'), { href: url, target: '_blank' });
      document.body.append(link);
      link.click();
      alert('gotcha');
      return [
        attempt(() => window.open(url)),
        attempt(() => { top.location.href = url; }),
        attempt(() => { parent.location.href = url; }),
        attempt(() => parent.document),
        attempt(() => top.document),
        attempt(() => localStorage),
        attempt(() => document.cookie),
        attempt(() => parent.frames.length && frameElement),
      ];
    })()`);
    expect(outcome).toEqual([
      'null',
      ...[
        'SecurityError',
        'SecurityError',
        'SecurityError',
        'SecurityError',
        'SecurityError',
        'SecurityError',
      ],
      'null',
    ]);
    expect(opened).toEqual([]);
    expect(tracker.heard).toEqual([]);
  });

  it('is refused with an error when it sends too many requests, and ended when it goes on', async () => {
    const { page, app } = await show();
    const answers = await app.evaluate(`(async () => {
      const sent = Array.from({ length: 1000 }, (_, at) => call('ping', {}, 'ping ' + at));
      return Promise.all(sent);
    })()`);
    const refused = (answers as { code?: number }[]).filter(({ code }) => code !== undefined);
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]).toEqual({
      code: -31503,
      message: 'the app sends more than 50 messages per second',
      data: { retryAfterMs: 1000 },
    });
    await app.evaluate(`(() => {
      for (let at = 0; at < 20_000; at++)
        parent.postMessage({ jsonrpc: '2.0', id: at, method: 'tools/call', params: { name: 'for_apps' } }, '*');
    })()`);
    await page.getByText('The app was ended: the app sent too many messages.').waitFor();
    expect(ran).toEqual(['show']);
    expect(await page.getByRole('region', { name: 'The app wants' }).count()).toBe(0);
  });

  it('cannot fill the page with questions', async () => {
    const { page, app } = await show();
    const answers = await app.evaluate(`(async () => {
      const sent = Array.from({ length: 40 }, (_, at) => call('tools/call', { name: 'for_apps' }, at + 100));
      return Promise.race([Promise.all(sent.slice(16)), Promise.all(sent)]);
    })()`);
    expect(answers).toHaveLength(24);
    expect((answers as unknown[])[0]).toEqual({
      code: -31503,
      message: '16 requests of the app wait for an answer already',
      data: { retryAfterMs: 1000 },
    });
    expect(await page.getByRole('region', { name: 'The app wants' }).count()).toBe(16);
    expect(ran).toEqual(['show']);
  });

  it('gets no permission that it did not declare', async () => {
    const { app } = await show();
    expect(await featuresOf(app)).toEqual([false, false, false, false]);
    const denied = await app.evaluate(`Promise.all([
      navigator.clipboard.writeText('x').then(() => 'written', error => error.name),
      new Promise(resolve => navigator.geolocation.getCurrentPosition(() => resolve('found'), error => resolve(error.code))),
    ])`);
    expect(denied).toEqual(['NotAllowedError', 1]);
  });

  // covers: apps/host-warns-of-hosts
  it('gets what it declared only after a yes, without hosts that are none', async () => {
    const page = await run('show_greedy');
    await page.getByRole('heading', { name: 'This app wants more than its own page' }).waitFor();
    const wanted = page.getByRole('region', { name: 'This app wants' });
    expect(await wanted.getByRole('definition').allTextContents()).toEqual([
      'https://ok.example',
      'clipboard',
    ]);
    expect(innerFrame(page)).toBeUndefined();
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText(`the app may not reach "*": connectDomains must name hosts`).waitFor();
    await page.getByText(`the app may not reach "https://a.example; script-src *"`).waitFor();
    await page.getByRole('button', { name: 'Show the app' }).click();
    const app = await ready(page);
    expect(await featuresOf(app)).toEqual([false, false, false, true]);
    expect(
      await app.evaluate(`fetch(${JSON.stringify(tracker.url)}).then(String, error => error.name)`),
    ).toBe('TypeError');
    expect(tracker.heard).toEqual([]);
  });

  it('is not shown at all if the user refuses', async () => {
    const page = await run('show_greedy');
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('the user did not want the app ui://evil/greedy').waitFor();
    expect(innerFrame(page)).toBeUndefined();
  });

  // covers: apps/host-rejects-calls
  it('calls no tool that is not for apps, and none without a yes', async () => {
    const { page, app } = await show();
    const attempt = (params: object) => app.evaluate(`call('tools/call', ${JSON.stringify(params)})`);
    expect(await attempt({ name: 'for_models' })).toEqual({
      code: -32602,
      message: 'the server has no tool "for_models" for apps',
    });
    expect(await attempt({ name: 'nothing' })).toEqual({
      code: -32602,
      message: 'the server has no tool "nothing" for apps',
    });
    expect(await attempt({ name: ['for_apps'] })).toEqual({
      code: -32602,
      message: 'tools/call needs the name of a tool, and an object of arguments',
    });
    const answer = attempt({ name: 'for_apps' });
    await page.getByRole('heading', { name: 'The app wants to call for_apps' }).waitFor();
    expect(ran).toEqual(['show']);
    await page.getByRole('button', { name: 'Refuse' }).click();
    expect(await answer).toEqual({ code: -32000, message: 'the user refused the call of "for_apps"' });
    expect(ran).toEqual(['show']);
  });

  // covers: apps/host-keeps-the-mode, apps/host-returns-the-mode
  it('gets the exact answer to what is malformed, too large, unknown, or not there', async () => {
    const { app } = await show();
    expect(await app.evaluate(`call('tools/call', { name: 'x'.repeat(2_000_000) })`)).toEqual({
      code: -32600,
      message: 'a message of an app may have 50000 values and 1048576 characters',
    });
    expect(
      await app.evaluate(`(() => { const loop = {}; loop.loop = loop; return call('tools/call', loop); })()`),
    ).toEqual({
      code: -32600,
      message: 'a message of an app may have 50000 values and 1048576 characters',
    });
    expect(await app.evaluate(`call('ui/request-display-mode', { mode: 'fullscreen' })`)).toEqual({
      mode: 'inline',
    });
    expect(await app.evaluate(`call('sampling/createMessage', {})`)).toEqual({
      code: -32601,
      message: 'method not found: sampling/createMessage',
    });
    expect(await app.evaluate(`call('ui/open-link', { url: 'javascript:alert(1)' })`)).toEqual({
      code: -32000,
      message: 'only http and https links are opened, and not "javascript:alert(1)"',
    });
  });

  // covers: apps/sandbox-passes-messages
  it('is not heard from other windows, other origins, or in the name of the sandbox', async () => {
    const page = await run('show_framed');
    await page.getByRole('button', { name: 'Show the app' }).click();
    const app = await ready(page);
    const forged = `{ jsonrpc: '2.0', id: 77, method: 'tools/call', params: { name: 'for_apps' } }`;
    // From the page itself, from the app past its sandbox, and from a frame within the app.
    await page.evaluate(`postMessage(${forged}, '*')`);
    await app.evaluate(`(() => {
      top.postMessage(${forged}, '*');
      const inner = document.createElement('iframe');
      inner.srcdoc = "<script>top.postMessage(" + ${JSON.stringify(forged)} + ", '*'); parent.parent.postMessage(" + ${JSON.stringify(forged)} + ", '*')</" + "script>";
      document.body.append(inner);
      parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-ended', params: {} }, '*');
      parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
      return new Promise(resolve => { inner.onload = resolve; });
    })()`);
    // What was posted before the ping has been dropped when it is answered.
    expect(await app.evaluate(`call('ping')`)).toEqual({});
    expect(await page.getByRole('region', { name: 'The app wants' }).count()).toBe(0);
    expect(await app.evaluate(`heard.some(({ id }) => id === 77)`)).toBe(false);
    expect(await app.locator('#state').textContent()).toBe('ready');
    expect(ran).toEqual(['show_framed']);
  });

  it.each([
    ['show_large', 'ui://evil/large has 8389'],
    ['show_text', 'ui://evil/text has the type "text/html", and an app has text/html;profile=mcp-app'],
    ['show_missing', 'resource not found: ui://evil/missing'],
  ])('is not shown if its page cannot be: %s', async (tool, reason) => {
    const page = await run(tool);
    await page.getByText(reason).first().waitFor();
    // The result of the tool is there all the same.
    await lane(page).getByText(tool, { exact: true }).waitFor();
    expect(innerFrame(page)).toBeUndefined();
  });
});

async function show(): Promise<{ page: Page; app: Frame }> {
  const page = await run('show');
  return { page, app: await ready(page) };
}

async function run(tool: string): Promise<Page> {
  const page = await tabs.open(`${address}&tool=${tool}`);
  await page.getByRole('button', { name: 'Run' }).click();
  return page;
}

/** The frame of the app, when it has begun. */
async function ready(page: Page): Promise<Frame> {
  await lane(page).frameLocator('iframe').frameLocator('iframe').getByText('ready').waitFor();
  const frame = innerFrame(page);
  if (!frame) throw new Error('the app has no frame');
  return frame;
}

function innerFrame(page: Page): Frame | undefined {
  return page.frames().find(frame => frame.parentFrame()?.parentFrame() === page.mainFrame());
}

function featuresOf(app: Frame): Promise<unknown> {
  return app.evaluate(
    `['camera', 'microphone', 'geolocation', 'clipboard-write'].map(name => document.featurePolicy.allowsFeature(name))`,
  );
}

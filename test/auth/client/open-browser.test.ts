import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AccessError } from '../../../src/client/auth/errors.js';
import { browserCommand } from '../../../src/node/client/auth/open-browser.js';
import { runFixture } from './run-fixture.js';

/** Addresses that a shell, or a program that takes options, would do something else with. */
const TRICKY = [
  'https://as.example/authorize?a=1&b=2',
  'https://as.example/?a=$(touch${IFS}made)',
  'https://as.example/$(touch${IFS}made)',
  'https://as.example/?a=`touch${IFS}made`',
  'https://as.example/?a=;touch${IFS}made;',
  'https://as.example/;touch made',
  'https://as.example/?a=|touch${IFS}made',
  'https://as.example/?a=1&touch${IFS}made&b',
  'https://as.example/?a=1&&calc.exe',
  'https://as.example/?a=%22&calc.exe&%22',
  'https://as.example/?a="&calc.exe&"',
  `https://as.example/'$(touch made)'?a='b'#'c'`,
  'https://as.example/?a=1\ntouch made',
  'https://as.example/?a=1\r\ntouch made',
  'https://as.example/?a=%0Atouch%20made',
  'https://as.example/?a=^&calc.exe',
  'https://as.example/?a=%PATH%&b=%%',
  'https://as.example/?a=!PATH!',
  'https://as.example/?a=>made',
  'https://as.example/?a=<made',
  'https://as.example/*?[a-z]{1,2}~',
  'https://as.example/\\..\\made',
  'https://as.example/?a=\\',
  'https://as.example/?--flag -x',
  'https://as.example/#$(touch made)`x`',
  'https://-flag.example/-x --y',
  'https://user:$(touch made)@as.example/',
  'http://127.0.0.1:8080/?a=$HOME',
  'https://as.example/ü🔑?ü=🔑',
];

const FORBIDDEN = [
  'javascript:alert(1)',
  'JavaScript:alert(1)//https://as.example/',
  'file:///etc/passwd',
  'file://evil.example/share/program.exe',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'blob:https://as.example/x',
  'ms-msdt:/id PCWDiagnostic /skip force',
  'search-ms:query=x&crumb=location:\\\\evil.example',
  'ms-settings:x',
  'ftp://as.example/',
  'ws://as.example/',
  'mailto:ada@as.example',
  'tel:1',
  'ssh://-oProxyCommand=x/',
  'view-source:https://as.example/',
  'about:blank',
  'x:--flag',
];

let folder: string;
let bin: string;
let opened: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-browser-'));
  bin = join(folder, 'bin');
  opened = join(folder, 'opened');
  mkdirSync(bin);
  mkdirSync(opened);
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Opens pages from another process, where `xdg-open` notes how it is called. */
async function open(addresses: readonly string[]): Promise<{ problem: string; message: string }[]> {
  const env = {
    ...process.env,
    PATH: `${bin}:/usr/bin:/bin`,
    OPENED: opened,
    BROWSER: `touch ${folder}/made`,
  };
  return JSON.parse(await runFixture('open.ts', [JSON.stringify(addresses)], { env }));
}

function installBrowser(): void {
  const script = [
    '#!/bin/sh',
    'printf "%s\\0" "$@" > "$OPENED/$$.part"',
    'mv "$OPENED/$$.part" "$OPENED/$$.arguments"',
  ];
  writeFileSync(join(bin, 'xdg-open'), `${script.join('\n')}\n`);
  chmodSync(join(bin, 'xdg-open'), 0o755);
}

/** The arguments of each call of `xdg-open`. */
function calls(): string[][] {
  return readdirSync(opened)
    .filter(name => name.endsWith('.arguments'))
    .map(name => readFileSync(join(opened, name), 'utf8').split('\0').slice(0, -1));
}

describe.runIf(process.platform === 'linux')('openBrowser', () => {
  // covers: 2025-06-18/security/no-shell-opens-urls, 2025-06-18/security/urls-of-servers-are-validated
  test('gives a page to the browser as one argument, whatever is in its address', async () => {
    installBrowser();
    expect(await open(TRICKY)).toEqual(TRICKY.map(() => 'opened'));
    await expect.poll(() => calls().length).toBe(TRICKY.length);
    const expected = TRICKY.map(address => [new URL(address).href]);
    expect(calls().sort()).toEqual(expected.sort());
    expect(readdirSync(folder).sort()).toEqual(['bin', 'opened']);
  });

  // covers: 2025-06-18/security/dangerous-schemes-are-rejected, 2025-06-18/security/schemes-are-an-allowlist
  // covers: 2025-06-18/security/authorization-url-schemes
  test('opens nothing but web pages', async () => {
    installBrowser();
    const outcomes = await open([...FORBIDDEN, 'https://as.example/']);
    expect(outcomes.pop()).toBe('opened');
    for (const [at, { problem, message }] of outcomes.entries()) {
      expect([FORBIDDEN[at], problem]).toEqual([FORBIDDEN[at], 'address']);
      expect(message).toContain(new URL(FORBIDDEN[at]!).protocol);
    }
    await expect.poll(calls).toEqual([['https://as.example/']]);
  });

  test.each([
    ['is missing', () => {}, 'there is no xdg-open'],
    ['cannot be run', () => writeFileSync(join(bin, 'xdg-open'), ''), 'xdg-open does not start'],
  ])('says which page to open by hand if the program %s', async (_, install, reason) => {
    install();
    const address = 'https://as.example/authorize?state=1';
    // Not even the system's.
    const env = { ...process.env, PATH: bin };
    const [outcome] = JSON.parse(await runFixture('open.ts', [JSON.stringify([address])], { env }));
    const message = `cannot open a browser: ${reason}; open this page by hand: ${address}`;
    expect(outcome).toEqual({ problem: 'denied', message });
  });
});

describe('the command that opens a page', () => {
  const url = new URL('https://as.example/?a=1&b=$(x)');

  // covers: 2025-06-18/security/no-shell-opens-urls, 2025-06-18/security/platform-opens-urls
  test('is one without a shell on every platform', () => {
    expect(browserCommand(url, 'darwin')).toEqual({ program: 'open', args: [url.href] });
    expect(browserCommand(url, 'freebsd')).toEqual({ program: 'xdg-open', args: [url.href] });
    expect(browserCommand(url, 'win32', 'D:\\Windows')).toEqual({
      program: 'D:\\Windows\\System32\\rundll32.exe',
      args: ['url.dll,FileProtocolHandler', url.href],
    });
  });

  test.each(['darwin', 'win32', 'linux'] as const)('opens only web pages on %s', platform => {
    for (const address of FORBIDDEN) {
      expect(() => browserCommand(new URL(address), platform)).toThrow(AccessError);
    }
  });

  test('has an address that no platform quotes, and that is no option', () => {
    const part = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(part, part, part, (path, query, hash) => {
        const address = new URL('https://as.example/');
        address.pathname = path;
        address.search = query;
        address.hash = hash;
        const written = new URL(`https://as.example/${path}?${query}#${hash}`);
        for (const { href } of [address, written]) expect(href).toMatch(/^https:\/\/[\x21\x23-\x7e]*$/);
      }),
      { numRuns: 2000, seed: 3 },
    );
  });
});

import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Server } from 'tenon';
import { expect, it, onTestFinished } from 'vitest';
import type { ServedPage } from '../../src/playground/serve.js';
import { openPage } from './open-page.js';

const ASSETS = new URL('../../dist/playground/', import.meta.url);
const MAX_GZIP_BYTES = 150 * 1024;

it('is smaller than 150 KB in all, compressed', async () => {
  const names = (await readdir(ASSETS, { recursive: true })).filter(name => name.includes('.'));
  const files = await Promise.all(names.map(name => readFile(new URL(name, ASSETS))));
  const size = files.reduce((sum, file) => sum + gzipSync(file).length, 0);
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(MAX_GZIP_BYTES);
});

it('has nothing inline, and names no other host', async () => {
  const html = await readFile(new URL('index.html', ASSETS), 'utf8');
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//i);
});

it('is sent with a policy that allows nothing inline and no other host', async () => {
  const { address } = await serve();
  const response = await fetch(new URL('/', address));
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
  // The sandbox of apps is on this machine, too, and the only thing that may stand in a frame.
  expect(policy.split('; ').filter(directive => /https?:/.test(directive))).toEqual([
    expect.stringMatching(/^frame-src http:\/\/127\.0\.0\.1:(\d+) http:\/\/localhost:\1$/),
  ]);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
});

it('refuses commands and events without the secret', async () => {
  const { address } = await serve();
  expect(await ask(address, 'POST', '/api/state')).toBe(401);
  expect(await ask(address, 'POST', '/api/state', { authorization: 'Bearer guessed' })).toBe(401);
  expect(await ask(address, 'GET', '/api/events')).toBe(401);
});

it('refuses other hosts and other web pages, also with the secret', async () => {
  const { address, playground } = await serve();
  const authorization = `Bearer ${playground.secret}`;
  expect(await ask(address, 'POST', '/api/state', { authorization })).toBe(200);
  expect(await ask(address, 'GET', '/', { host: 'bistro.example' })).toBe(403);
  expect(await ask(address, 'POST', '/api/state', { authorization, host: 'bistro.example' })).toBe(403);
  expect(await ask(address, 'POST', '/api/state', { authorization, origin: 'https://evil.example' })).toBe(
    403,
  );
  expect(await ask(address, 'POST', '/api/state', { authorization, origin: 'null' })).toBe(403);
});

it('serves only the files of the page', async () => {
  const { address } = await serve();
  for (const path of [
    '/../package.json',
    '/%2e%2e/package.json',
    '/assets/../../cli/main.js',
    '/.git/config',
  ]) {
    expect(await ask(address, 'GET', path)).toBe(404);
  }
});

async function serve(): Promise<ServedPage> {
  const page = await openPage(new Server({ name: 'bistro', version: '1.0.0' }));
  onTestFinished(() => page.close());
  return page;
}

/** The status of a response. `fetch` would not send these headers and paths as they are. */
function ask(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, response => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

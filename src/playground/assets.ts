import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { originsAt } from './origins.js';

/** Nothing is loaded from other hosts, nothing inline runs, only the sandbox of apps is framed, and nobody may frame the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where the files of the built page are, and the port of the sandbox that it may frame. */
export interface Assets {
  readonly folder: URL;
  readonly sandboxPort: number;
}

/** Sends a file of the built page. Returns whether there is such a file. */
export async function sendAsset(
  { folder, sandboxPort }: Assets,
  path: string,
  response: ServerResponse,
): Promise<boolean> {
  const name = path === '/' ? 'index.html' : path.slice(1);
  // Only the names that a build makes: no folders above, no hidden files.
  if (!/^(assets\/)?[\w-]+(\.[\w-]+)+$/.test(name)) return false;
  const content = await readFile(new URL(name, folder)).catch(() => undefined);
  if (!content) return false;
  response.writeHead(200, {
    ...HEADERS,
    'content-security-policy': `${CONTENT_SECURITY_POLICY}; frame-src ${originsAt(sandboxPort).join(' ')}`,
    'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
  });
  response.end(content);
  return true;
}

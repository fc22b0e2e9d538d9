import { parseUrl } from '../../base/url.js';
import type { AppCsp } from '../../protocol/apps.js';
import { contentSecurityPolicy, readCsp } from './policy.js';
import { FRAME_SCRIPT, SANDBOX_SCRIPT } from './sandbox-script.js';

/** Who may show apps in a sandbox. */
export interface AppSandboxOptions {
  /** The origins of the pages that show apps, such as `https://chat.example`. */
  hosts: readonly string[];
}

/**
 * Serves the sandbox of apps, on an origin of its own where nothing else is served. The page passes messages between the
 * host and the app, which runs in a frame inside it under the policy that the app declared. Only the named hosts can use it.
 *
 * @example
 * const sandbox = appSandbox({ hosts: ['https://chat.example'] });
 * export default { fetch: sandbox };
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx#sandbox-proxy
 */
export function appSandbox({ hosts }: AppSandboxOptions): (request: Request) => Response {
  const origins = new Set(hosts.map(host => new URL(host).origin));
  return ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD') return refuse(405, 'Only GET is served here.');
    const { searchParams } = new URL(url);
    const host = parseUrl(searchParams.get('host') ?? '')?.origin;
    if (host === undefined || !origins.has(host)) return refuse(403, 'This host may not show apps here.');
    const declared = parseJson(searchParams.get('csp') ?? '{}');
    if (declared === undefined) return refuse(400, 'The policy of the app is not valid JSON.');
    const csp = readCsp(declared);
    return searchParams.has('frame')
      ? page(
          FRAME,
          `${contentSecurityPolicy(csp)}; sandbox allow-scripts allow-forms; frame-ancestors 'self' ${host}`,
        )
      : page(sandboxFor(host, csp), `${SANDBOX_POLICY}; frame-ancestors ${host}`);
  };
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  // Looking up a name would tell its server something, too.
  'x-dns-prefetch-control': 'off',
  'origin-agent-cluster': '?1',
};

/** Nothing but its own script, and a frame that is loaded from here. */
const SANDBOX_POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'; form-action 'none'";

/** The frame of an app, before the app is in it. */
const FRAME = `<!doctype html><title>App</title><script>${FRAME_SCRIPT}</script>`;

function page(html: string, policy: string): Response {
  return new Response(html, { headers: { ...HEADERS, 'content-security-policy': policy } });
}

function sandboxFor(host: string, { frameDomains }: AppCsp): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>App</title>
<style>html, body, iframe { display: block; width: 100%; height: 100%; margin: 0; border: 0; background: transparent; overflow: hidden }</style>
</head>
<body data-host="${host}" data-frames="${frameDomains ? 'declared' : 'none'}">
<script>${SANDBOX_SCRIPT}</script>
</body>
</html>
`;
}

function refuse(status: number, reason: string): Response {
  return new Response(`${reason}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

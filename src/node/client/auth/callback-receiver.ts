import type { RequestListener, ServerResponse } from 'node:http';
import type { CallbackPages } from '../../../client/auth/redirect.js';
import type { CallbackWaits } from './callback-waits.js';

const SUCCESS = page('You are signed in', 'You can close this page and go back to the program.');
const FAILURE = page('You are not signed in', 'Go back to the program to see why. You can close this page.');
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/** Handles requests to the redirect URI, and refuses all others. Responses contain no part of the request. */
export function createReceiver(
  { origin, host, pathname }: URL,
  waits: CallbackWaits,
  { success = SUCCESS, failure = FAILURE }: CallbackPages = {},
): RequestListener {
  return (request, response) => {
    request.resume();
    const { url = '', method } = request;
    // Against DNS rebinding: a page of another host name that resolves to this machine cannot change this header.
    if (request.headers.host !== host) return refuse(response, 400);
    if (url.split('?', 1)[0] !== pathname) return refuse(response, 404);
    if (method !== 'GET') return refuse(response.setHeader('allow', 'GET'), 405);
    const callback = new URL(origin + url);
    const states = callback.searchParams.getAll('state');
    // Any page can send a browser here, but only the visited one knows the state.
    const finish = states.length === 1 ? waits.take(states[0] as string) : undefined;
    if (!finish) return refuse(response, 400);
    // The caller may close the server after this, so the user gets the page first.
    response.once('close', () => finish(callback));
    send(response, 200, 'text/html', callback.searchParams.has('error') ? failure : success);
  };
}

function refuse(response: ServerResponse, status: 400 | 404 | 405): void {
  send(response, status, 'text/plain', 'Nothing is expected here.\n');
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': `${type}; charset=utf-8` }).end(body);
}

function page(title: string, text: string): string {
  const style = 'body{font-family:system-ui,sans-serif;margin:20vh auto;max-width:30em;text-align:center}';
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`,
    `<h1>${title}</h1><p>${text}</p></html>\n`,
  ].join('\n');
}

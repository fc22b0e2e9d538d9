import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../../base/errors.js';
import { parseUrl } from '../../../base/url.js';
import { AccessError } from '../../../client/auth/errors.js';
import type { LoopbackOptions, Redirect, Redirection } from '../../../client/auth/redirect.js';
import { createReceiver } from './callback-receiver.js';
import { CallbackWaits } from './callback-waits.js';
import { openBrowser } from './open-browser.js';

const HOST = '127.0.0.1';

/**
 * Opens the user's browser, and receives the redirect back on this machine. See
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.3
 *
 * @example
 * const auth = signIn({ redirect: loopback({ port: 8976 }) });
 */
export function loopback(options: LoopbackOptions = {}): Redirect {
  const { port = 0, path = '/callback', open = openOrShow, timeoutMs = 5 * 60_000 } = options;
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    throw new UsageError(`port must be a number from 0 to 65535, not ${port}`);
  }
  if (!path.startsWith('/') || new URL(`http://${HOST}${path}`).pathname !== path) {
    throw new UsageError(`path must be the path of a URL, such as /callback, not ${path}`);
  }
  return {
    async prepare(known) {
      const waits = new CallbackWaits(timeoutMs);
      const server = createServer();
      await listen(server, portOf(known, path), port);
      const uri = addressOf((server.address() as AddressInfo).port, path);
      server.on('request', createReceiver(new URL(uri), waits, options.html));
      return redirection(uri, server, open, waits);
    },
  };
}

/** On a machine without a browser, the user opens the page by hand, maybe on another machine. */
async function openOrShow(url: URL): Promise<void> {
  const show = () => console.error(`Open this page to sign in: ${url.href}`);
  await openBrowser(url, show).catch(error => {
    if (!(error instanceof AccessError) || error.problem !== 'denied') throw error;
    show();
  });
}

/** The port of a redirect URI that this function made; 0 for any other. */
function portOf(known: string | undefined, path: string): number {
  const url = known === undefined ? undefined : parseUrl(known);
  const port = url ? Number(url.port || 80) : 0;
  return known === addressOf(port, path) ? port : 0;
}

function addressOf(port: number, path: string): string {
  return new URL(`http://${HOST}:${port}${path}`).href;
}

async function listen(server: Server, last: number, port: number): Promise<void> {
  if (last !== 0 && last !== port) {
    const isBound = await bind(server, last).then(
      () => true,
      () => false,
    );
    if (isBound) return;
  }
  try {
    return await bind(server, port);
  } catch (cause) {
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const reason = isTaken
      ? 'the port is taken; stop the other program, or leave the port out to use any free one'
      : (cause as Error).message;
    throw new AccessError('address', `cannot receive the user on ${HOST}:${port}: ${reason}`, { cause });
  }
}

function bind(server: Server, port: number): Promise<void> {
  return new Promise((bound, failed) => {
    // This listener stays, because a later error without a listener would end the process.
    server.on('error', failed);
    // Workers of a cluster must not share the port: another worker would get the request.
    server.listen({ port, host: HOST, exclusive: true }, bound);
  });
}

function redirection(
  uri: string,
  server: Server,
  open: NonNullable<LoopbackOptions['open']>,
  waits: CallbackWaits,
): Redirection {
  return {
    uri,
    async visit(url, signal) {
      const state = url.searchParams.get('state');
      if (!state) throw new AccessError('address', `the page at ${url.origin} needs a state in its address`);
      return waits.wait(state, signal, () => open(url));
    },
    async close() {
      waits.end();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

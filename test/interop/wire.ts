import { type Bistro, openBistro, STDIO } from './bistro.js';
import type { Transport } from './host.js';

/** A client's way to a bistro. */
export interface Wire<T> {
  transport: T;
  /** The `MCP-Protocol-Version` header of the last request, where there are headers. */
  versionHeader: (() => string | undefined) | undefined;
  /** Resolves once a client of the handshake era can hear what it did not ask for. */
  ready: Promise<void>;
  /** Ends the session, where there is one. */
  end(): Promise<void>;
  /** Closes the bistro, if it was opened for this wire. */
  close(): Promise<void>;
}

/** How a client library makes its transports. */
export interface TransportMakers<T> {
  stdio(parameters: typeof STDIO & { stderr: 'ignore' }): T;
  sse(url: URL, options: { fetch: typeof fetch }): T;
  http(url: URL, options: { fetch: typeof fetch }): T & { terminateSession(): Promise<void> };
}

/** Makes a transport to a bistro, which is opened for it unless it is shared. */
export async function openWire<T>(
  kind: Transport,
  make: TransportMakers<T>,
  shared?: Bistro,
): Promise<Wire<T>> {
  if (kind === 'stdio') {
    const transport = make.stdio({ ...STDIO, stderr: 'ignore' });
    return { transport, versionHeader: undefined, ready: nothing(), end: nothing, close: nothing };
  }
  const { url, sseUrl, close } = shared ? { ...shared, close: nothing } : await openBistro();
  const { versionHeader, streaming, ...options } = watchFetch();
  if (kind === 'HTTP+SSE') {
    return { transport: make.sse(sseUrl, options), versionHeader, ready: nothing(), end: nothing, close };
  }
  const transport = make.http(url, options);
  return { transport, versionHeader, ready: streaming, end: () => transport.terminateSession(), close };
}

async function nothing(): Promise<void> {}

/** A `fetch` that remembers the version header, and when the stream for notices was opened. */
function watchFetch(): {
  fetch: typeof fetch;
  versionHeader(): string | undefined;
  streaming: Promise<void>;
} {
  let last: string | undefined;
  let opened = () => {};
  const streaming = new Promise<void>(resolve => {
    opened = resolve;
  });
  return {
    versionHeader: () => last,
    streaming,
    async fetch(input, init) {
      last = new Headers(init?.headers).get('mcp-protocol-version') ?? undefined;
      const response = await fetch(input, init);
      if (init?.method === 'GET' && response.ok) opened();
      return response;
    },
  };
}

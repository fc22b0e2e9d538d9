import { type LookupAddress, type LookupAllOptions, lookup as lookupHost } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopback, withoutBrackets } from '../../../client/auth/addresses.js';
import { AccessError } from '../../../client/auth/errors.js';
import {
  destinationProblem,
  type FetchRules,
  type GuardedFetch,
} from '../../../client/auth/guarded-fetch.js';
import { ConnectionError } from '../../../protocol/failures.js';

/** The part of `lookup` of `node:dns` that is used here. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface PinnedFetchOptions {
  /** Resolves names; the system's resolver by default. */
  lookup?: LookupAll;
  /** Certificates to trust instead of Node's. */
  ca?: string;
}

/**
 * Creates a `fetch` that resolves a name once, refuses it if any of its addresses is not allowed, and connects to one
 * of the checked addresses. So a name cannot change its address after the check. Redirects are not followed and content
 * encodings are not decoded.
 */
export function createPinnedFetch(rules: FetchRules, options: PinnedFetchOptions = {}): GuardedFetch {
  const { lookup = lookupHost, ca } = options;
  return async (input, init = {}) => {
    const url = new URL(input);
    const request = new Request(url, { ...init, signal: null });
    const body = request.body ? Buffer.from(await request.arrayBuffer()) : undefined;
    const host = withoutBrackets(url.hostname);
    const addresses = await resolve(host, lookup);
    checkAddresses(url, addresses, rules);
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)({
        method: request.method,
        host,
        port: url.port,
        path: url.pathname + url.search,
        headers: headersOf(request, body),
        lookup: pinTo(addresses),
        // A separate connection, which ends with the response.
        agent: false,
        ...(signal && { signal }),
        ...(ca !== undefined && { ca }),
      });
      const fail = (error: Error) => {
        sent.destroy();
        reject(error);
      };
      sent.on('error', reject);
      sent.on('upgrade', () =>
        fail(new ConnectionError(`${url.host} wants to switch to a protocol other than HTTP`)),
      );
      sent.on('response', message => {
        try {
          resolve(toResponse(message, request));
        } catch (error) {
          fail(error as Error);
        }
      });
      sent.end(body);
    });
  };
}

function resolve(host: string, lookup: LookupAll): Promise<LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return Promise.resolve([{ address: host, family }]);
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

/** One forbidden address is enough to refuse: the owner of the name could choose when it is used. */
function checkAddresses(url: URL, addresses: readonly LookupAddress[], rules: FetchRules): void {
  const refuse = (problem: string) =>
    new AccessError('address', `${url.origin} must not be fetched: ${problem}`);
  if (addresses.length === 0) throw new ConnectionError(`${url.hostname} has no address`);
  for (const { address } of addresses) {
    const problem = destinationProblem(address, rules);
    if (problem !== undefined) throw refuse(problem);
    if (url.protocol === 'http:' && !isLoopback(address)) {
      throw refuse(`it leads to ${address}, which is another machine; use https:`);
    }
  }
}

/** Returns the checked addresses instead of resolving the name again. */
function pinTo(addresses: LookupAddress[]): LookupFunction {
  const [{ address, family }] = addresses as [LookupAddress];
  return (_host, { all }, callback) => {
    if (all) callback(null, addresses);
    else callback(null, address, family);
  };
}

/** Headers of the connection, which the caller must not set. */
const CONNECTION_HEADERS = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

function headersOf(request: Request, body: Buffer | undefined): Record<string, string> {
  const headers = Object.fromEntries(request.headers);
  for (const name of CONNECTION_HEADERS) delete headers[name];
  headers['accept-encoding'] = 'identity';
  if (body) headers['content-length'] = String(body.length);
  return headers;
}

function toResponse(message: IncomingMessage, { url, method }: Request): Response {
  // The reader of the body gets this error; without a listener it would end the process.
  message.on('error', () => {});
  const status = message.statusCode ?? 0;
  const { host } = new URL(url);
  if (status < 200 || status > 599) throw new ConnectionError(`${host} answered with status ${status}`);
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AccessError(
      'document',
      `${host} compresses its answer with ${encoding.slice(0, 40)}, which was not asked for`,
    );
  }
  const headers = new Headers();
  const raw = message.rawHeaders;
  for (let i = 0; i < raw.length; i += 2) headers.append(raw[i] as string, raw[i + 1] as string);
  const isEmpty = method === 'HEAD' || [204, 205, 304].includes(status);
  if (isEmpty) message.resume();
  return new Response(isEmpty ? null : bodyOf(message), { status, headers });
}

function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        message.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

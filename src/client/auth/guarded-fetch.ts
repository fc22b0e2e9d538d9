import { onAbort } from '../../base/abort.js';
import { parseUrl } from '../../base/url.js';
import { ConnectionError } from '../../protocol/failures.js';
import { ByteCollector } from '../http/byte-collector.js';
import { MAX_REDIRECTS } from '../http/redirect.js';
import { describeFailure } from '../http/send-failure.js';
import {
  addressProblem,
  hostNameProblem,
  isAddress,
  isLocalName,
  isLoopback,
  withoutBrackets,
} from './addresses.js';
import { AccessError } from './errors.js';

/** Which addresses may be fetched although they are not on the public internet. */
export interface FetchRules {
  /** This machine, also without TLS. */
  readonly allowLoopback: boolean;
  /** All private addresses, including this machine. */
  readonly allowPrivate: boolean;
}

/** The part of `fetch` that authorization needs. */
export type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const TIME_LIMIT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Creates a `fetch` for URLs that a server named. Such a server may try to make the client fetch from addresses that
 * only the client can reach (SSRF). This checks where requests and redirects go, and limits time and size of responses.
 *
 * It checks names, not the addresses they resolve to: on Node, `base` should come from `createPinnedFetch`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/security_best_practices
 */
export function createGuardedFetch(base: GuardedFetch, rules: FetchRules): GuardedFetch {
  return async (url, init = {}) => {
    const controller = new AbortController();
    const { signal } = controller;
    const ended = new Promise<never>((_, reject) => {
      onAbort(signal, () => reject(signal.reason));
    });
    const timer = setTimeout(() => controller.abort(tooSlow(url)), TIME_LIMIT_MS);
    const given = init.signal ?? undefined;
    const ignoreGiven = given && onAbort(given, () => controller.abort(given.reason));
    try {
      const whole = exchange(base, rules, url, { ...init, signal, redirect: 'manual' });
      return await Promise.race([ended, whole]);
    } finally {
      clearTimeout(timer);
      ignoreGiven?.();
      // A response that was not read to its end must not stay open.
      controller.abort();
    }
  };
}

/** Why a URL must not be fetched. The addresses that names resolve to are not checked here. */
export function urlProblem(url: URL, rules: FetchRules): string | undefined {
  const { protocol, hostname, username, password } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    return 'it has to begin with https:';
  }
  if (username !== '' || password !== '') return 'it must not contain a user name or a password';
  if (isAddress(hostname)) return destinationProblem(withoutBrackets(hostname), rules);
  const problem = hostNameProblem(hostname);
  if (problem !== undefined) return problem;
  if (isLoopback(hostname)) return unlessAllowed(mayReachLoopback(rules), `${hostname} is this machine`);
  if (!isLocalName(hostname)) return undefined;
  return unlessAllowed(rules.allowPrivate, `${hostname} is a name of a private network`);
}

/** Why the client must not connect to an IP address. */
export function destinationProblem(address: string, rules: FetchRules): string | undefined {
  const problem = addressProblem(address);
  if (problem === undefined) return undefined;
  return unlessAllowed(rules.allowPrivate || (isLoopback(address) && mayReachLoopback(rules)), problem);
}

function mayReachLoopback({ allowLoopback, allowPrivate }: FetchRules): boolean {
  return allowLoopback || allowPrivate;
}

function unlessAllowed(isAllowed: boolean, problem: string): string | undefined {
  if (isAllowed) return undefined;
  return `${problem}; if you trust this server and run it in your own network, pass allowPrivateAddresses: true`;
}

async function exchange(
  base: GuardedFetch,
  rules: FetchRules,
  first: string | URL,
  init: RequestInit,
): Promise<Response> {
  let url = checkedUrl(String(first), undefined, rules);
  const headers = new Headers(init.headers);
  for (let redirects = 0; ; redirects++) {
    const response = await send(base, url, { ...init, headers });
    if (!isRedirect(response)) return await readWhole(response, url);
    response.body?.cancel().catch(() => {});
    const target = locationOf(response, url, init.method);
    if (redirects === MAX_REDIRECTS) {
      throw new AccessError('address', `${show(first)} redirects more than ${MAX_REDIRECTS} times`);
    }
    const next = checkedUrl(target, url, rules);
    if (next.origin !== url.origin) for (const name of SECRET_HEADERS) headers.delete(name);
    url = next;
  }
}

/** These headers are for the first origin only. */
const SECRET_HEADERS = ['authorization', 'cookie', 'dpop', 'proxy-authorization'];

function checkedUrl(text: string, redirectedBy: URL | undefined, rules: FetchRules): URL {
  const refuse = (url: string | URL, problem: string) => {
    const how = redirectedBy ? `${show(redirectedBy)} redirects to ${show(url)}, which` : show(url);
    return new AccessError('address', `${how} must not be fetched: ${problem}`);
  };
  const url = parseUrl(text, redirectedBy?.href);
  if (!url) throw refuse(text, 'it is not a URL');
  const problem = urlProblem(url, rules);
  if (problem !== undefined) throw refuse(url, problem);
  if (redirectedBy?.protocol === 'https:' && url.protocol !== 'https:') {
    throw refuse(url, 'a redirect must not lead away from https:');
  }
  return url;
}

async function send(base: GuardedFetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await base(url.href, init);
  } catch (cause) {
    throw asFailure(cause, `${show(url)} could not be reached`);
  }
}

/** In browsers, a redirect response has no status. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function locationOf(response: Response, url: URL, method = 'GET'): string {
  const target = response.headers.get('location');
  const refuse = (problem: string) => new AccessError('address', `${show(url)} redirects, ${problem}`);
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) {
    throw refuse(`and ${method} requests do not follow; use the URL to which it redirects`);
  }
  if (response.type === 'opaqueredirect') throw refuse('and this runtime does not say where to');
  if (target === null) throw refuse('but does not say where to');
  return target;
}

async function readWhole(response: Response, url: URL): Promise<Response> {
  const { status, headers, body } = response;
  if (!body) return new Response(null, { status, headers });
  if (Number(headers.get('content-length')) > MAX_BYTES) throw tooLarge(url);
  const whole = new ByteCollector();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(cause => {
      throw asFailure(cause, `the answer of ${show(url)} broke off`);
    });
    if (done) break;
    if (whole.size + value.length > MAX_BYTES) throw tooLarge(url);
    whole.add(value);
  }
  return new Response(whole.bytes, { status, headers });
}

function tooLarge(url: URL): AccessError {
  return new AccessError('document', `the answer of ${show(url)} is larger than ${MAX_BYTES} bytes`);
}

function tooSlow(url: string | URL): AccessError {
  return new AccessError('document', `${show(url)} did not answer within ${TIME_LIMIT_MS / 1000} seconds`);
}

/** Errors of this library are passed on; every other one is a failure of the network. */
function asFailure(cause: unknown, what: string): Error {
  if (cause instanceof AccessError || cause instanceof ConnectionError) return cause;
  return new ConnectionError(`${what}: ${describeFailure(cause)}`, { cause });
}

const MAX_SHOWN = 200;

/** A URL for messages, without the parts that may be secret. */
function show(url: string | URL): string {
  const text = String(url);
  const parsed = parseUrl(text);
  if (!parsed) return JSON.stringify(text.slice(0, MAX_SHOWN));
  const { protocol, host, pathname } = parsed;
  return (host === '' ? `a ${protocol} URL` : `${protocol}//${host}${pathname}`).slice(0, MAX_SHOWN);
}

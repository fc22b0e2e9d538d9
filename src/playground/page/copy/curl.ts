import {
  collectParameterHeaders,
  encodeHeaderValue,
  HEADER,
  META,
  parameterHeaders,
  STATELESS_REVISIONS,
} from 'tenon/protocol';
import { quote } from './shell.js';
import type { CopiedRequest } from './snippets.js';

type Headers = Readonly<Record<string, string>>;

const CLIENT = { name: 'curl', version: '1' };
/** Prints the session of a response, if it has one. */
const READ_SESSION = `tr -d '\\r' | awk 'tolower($1) == "${HEADER.sessionId}:" { print $2 }'`;

export interface CurlRequest extends CopiedRequest {
  readonly url: string;
  readonly revision: string;
  /** The schema of a tool's arguments, some of which may have to be repeated in headers. */
  readonly inputSchema?: unknown;
}

/** The HTTP requests of a request in the shell: one, or with a handshake three. */
export function toCurl(request: CurlRequest): string {
  return STATELESS_REVISIONS.includes(request.revision) ? inOne(request) : withHandshake(request);
}

function inOne({ url, revision, method, params, inputSchema }: CurlRequest): string {
  const headers = {
    [HEADER.protocolVersion]: revision,
    [HEADER.method]: method,
    [HEADER.name]: encodeHeaderValue(String(params.name ?? params.uri)),
    ...parameterHeaders(collectParameterHeaders(inputSchema), params.arguments),
  };
  const _meta = {
    [META.protocolVersion]: revision,
    [META.clientInfo]: CLIENT,
    [META.clientCapabilities]: {},
  };
  return post(url, headers, { id: 1, method, params: { ...params, _meta } });
}

function withHandshake({ url, revision, method, params }: CurlRequest): string {
  const opening = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT };
  const open = post(url, {}, { id: 1, method: 'initialize', params: opening }, '-sS -o /dev/null -D -');
  // A server without sessions sends none, and curl leaves out a header without a value.
  const inSession = `  -H "${HEADER.sessionId}: $session"`;
  const headers = { [HEADER.protocolVersion]: revision };
  const steps = [
    `session=$(${open} | ${READ_SESSION})`,
    `${post(url, headers, { method: 'notifications/initialized' })} \\\n${inSession}`,
    `${post(url, headers, { id: 2, method, params })} \\\n${inSession}`,
  ];
  return steps.join('\n');
}

function post(url: string, headers: Headers, message: object, flags = '-sS'): string {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`);
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return [`curl ${flags} ${quote(url)}`, ...lines, `  --data-raw ${quote(body)}`].join(' \\\n');
}

import { STATELESS_REVISIONS } from 'tenon/protocol';
import type { PageState } from '../../api.js';

type Params = Record<string, unknown>;

const CLIENT = { name: 'curl', version: '1' };

/** The command of the shell that sends a request. */
export function toShell({ words, url }: PageState, method: string, params: Params): string {
  const { command, rest } = inWords(method, params);
  // A program comes last, behind `--`.
  const all = url === undefined ? [command, ...rest, ...words] : [command, ...words, ...rest];
  return `tenon ${all.join(' ')}`;
}

/** A program that sends a request. */
export function toTypeScript({ url, target }: PageState, method: string, params: Params): string {
  const [command, ...args] = target.split(' ');
  const address = url === undefined ? { command, args } : url;
  return [
    "import { connect } from 'tenon/client';",
    '',
    `const client = await connect(${JSON.stringify(address)});`,
    `const result = await client.${callOf(method, params)};`,
    'console.log(result);',
    'await client.close();',
  ].join('\n');
}

/**
 * The HTTP requests in the shell. Revisions with a handshake need two: the first gets the session of the second.
 */
export function toCurl(url: string, revision: string, method: string, params: Params): string {
  const isStateless = STATELESS_REVISIONS.includes(revision);
  const subject = params.name ?? params.uri;
  const headers = { 'mcp-protocol-version': revision, 'mcp-method': method, 'mcp-name': String(subject) };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  if (isStateless) return post(url, headers, { id: 1, method, params: { ...params, _meta } });
  const opening = { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT };
  const open = post(url, {}, { id: 1, method: 'initialize', params: opening }, '-sS -o /dev/null -D -');
  const session = `session=$(${open} | tr -d '\\r' | sed -n 's/^mcp-session-id: //Ip')`;
  const call = post(url, { 'mcp-protocol-version': revision }, { id: 2, method, params });
  return `${session}\n${call} \\\n  -H "mcp-session-id: $session"`;
}

function post(url: string, headers: Record<string, string>, message: Params, flags = '-sS'): string {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`);
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  return [`curl ${flags} ${quote(url)}`, ...lines, `  -d ${quote(body)}`].join(' \\\n');
}

function inWords(
  method: string,
  { name, uri, arguments: values = {} }: Params,
): { command: string; rest: string[] } {
  switch (method) {
    case 'resources/read':
      return { command: 'read', rest: [quote(String(uri))] };
    case 'prompts/get':
      return { command: 'prompt', rest: [quote(String(name)), ...inFlags(values as Params)] };
    default:
      return { command: 'call', rest: [quote(String(name)), '--args', quote(JSON.stringify(values))] };
  }
}

function inFlags(values: Params): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, quote(String(value))]);
}

function callOf(method: string, { name, uri, arguments: values = {} }: Params): string {
  const given = [name, values].map(value => JSON.stringify(value)).join(', ');
  if (method === 'resources/read') return `readResource(${JSON.stringify(uri)})`;
  return method === 'prompts/get' ? `getPrompt(${given})` : `callTool(${given})`;
}

/** A word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

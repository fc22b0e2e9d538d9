import type { PageState, WireMessage } from '../../api.js';

type Params = Record<string, unknown>;

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

/** The HTTP request of a message that was sent. */
export function toCurl(url: string, { headers = {}, message }: WireMessage): string {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `  -H ${quote(`${name}: ${value}`)}`);
  return [`curl -sS ${quote(url)}`, ...lines, `  -d ${quote(JSON.stringify(message))}`].join(' \\\n');
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

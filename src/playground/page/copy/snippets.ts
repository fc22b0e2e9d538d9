import type { PageState } from '../../api.js';
import { quote } from './shell.js';

/** A request to copy. */
export interface CopiedRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The revision to speak, if the user chose one. */
  readonly revision?: string | undefined;
}

/** The command of the shell that sends a request. */
export function toShell({ words }: PageState, request: CopiedRequest): string {
  const { command, rest } = inWords(request);
  const revision = request.revision === undefined ? [] : ['--revision', request.revision];
  // A program comes last, behind `--`.
  const all =
    words[0] === '--' ? [command, ...rest, ...revision, ...words] : [command, ...words, ...rest, ...revision];
  return `tenon ${all.map(quote).join(' ')}`;
}

/** A program that sends a request. */
export function toTypeScript({ url, program }: PageState, request: CopiedRequest): string {
  const { revision } = request;
  const given = [url ?? program, ...(revision === undefined ? [] : [{ revision }])];
  return [
    "import { connect } from 'tenon/client';",
    '',
    `const client = await connect(${given.map(value => JSON.stringify(value)).join(', ')});`,
    `const result = await client.${inTypeScript(request)};`,
    'console.dir(result, { depth: null });',
    'await client.close();',
  ].join('\n');
}

function inWords({ method, params }: CopiedRequest): { command: string; rest: string[] } {
  const { name, uri, arguments: values = {} } = params;
  switch (method) {
    case 'resources/read':
      return { command: 'read', rest: [String(uri)] };
    case 'prompts/get':
      return { command: 'prompt', rest: [String(name), ...inPairs(values as object)] };
    default:
      return { command: 'call', rest: [String(name), '--args', JSON.stringify(values)] };
  }
}

function inPairs(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => ['--arg', `${name}=${String(value)}`]);
}

function inTypeScript({ method, params }: CopiedRequest): string {
  const { name, uri, arguments: values = {} } = params;
  const given = [name, values].map(value => JSON.stringify(value)).join(', ');
  if (method === 'resources/read') return `readResource(${JSON.stringify(uri)})`;
  return method === 'prompts/get' ? `getPrompt(${given})` : `callTool(${given})`;
}

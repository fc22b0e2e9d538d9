import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isObject } from '../is-object.js';
import type { HostedServer } from './host.js';

/** The members of an object in a file of JSON, which may have comments, found by the names that lead to it. */
export function readMembers(text: string, ...path: readonly string[]): ReadonlyMap<string, unknown> {
  const errors: ParseError[] = [];
  let value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    throw new SyntaxError(`${printParseErrorCode(error.error)} in line ${lineOf(text, error.offset)}`);
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** Reads an entry in the usual form: `command`, `args`, `env`, `cwd`, or a URL under one of several names. */
export function readUsualServer(
  entry: unknown,
  urlNames: readonly string[] = ['url'],
): HostedServer | undefined {
  if (!isObject(entry)) return undefined;
  const { command, args, env, cwd, headers } = entry;
  if (typeof command === 'string') {
    const isListed = Array.isArray(args) && args.every(arg => typeof arg === 'string');
    return {
      command,
      args: isListed ? args : [],
      env: readTexts(env),
      ...(typeof cwd === 'string' && { cwd }),
    };
  }
  const url = urlNames.map(name => entry[name]).find(value => typeof value === 'string');
  return url === undefined ? undefined : { url: url as string, headers: readTexts(headers) };
}

/** The members of an object that are texts; numbers and booleans become texts, as hosts do it. */
export function readTexts(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  const texts = Object.entries(value).filter(([, text]) =>
    ['string', 'number', 'boolean'].includes(typeof text),
  );
  return Object.fromEntries(texts.map(([name, text]) => [name, String(text)]));
}

/** The usual form of an entry, without what is empty. */
export function writeUsualServer(server: HostedServer): Record<string, unknown> {
  if ('url' in server)
    return { url: server.url, ...(hasMembers(server.headers) && { headers: server.headers }) };
  const { command, args, env, cwd } = server;
  return { command, args, ...(hasMembers(env) && { env }), ...(cwd !== undefined && { cwd }) };
}

export function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0;
}

export function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

import { usageError } from '../failure.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';
import { type ConfiguredServer, readConfiguredServers, surroundings } from './configured-servers.js';
import type { HostedServer } from './host.js';
import { expandVariables } from './variables.js';

/** The server of this name, ready to be connected to: variables in its configuration are expanded. */
export function findServer(name: string): HostedServer {
  return expandVariables(findConfigured(name).server, name, surroundings());
}

/** The server of this name, or of `host:name`, in the configuration of a host on this machine. */
export function findConfigured(name: string): ConfiguredServer {
  const { servers } = readConfiguredServers();
  const named = servers.filter(server => server.name === name || fullName(server) === name);
  const [found, ...others] = distinct(named);
  if (!found) throw notFound(name, servers);
  if (others.length > 0) {
    const choices = [found, ...others].map(fullName).join(', ');
    throw usageError(
      `several hosts know a different server "${plainLine(name)}"`,
      `Name one of them: ${choices}`,
    );
  }
  return found;
}

/** The name of a server together with that of its host. */
export function fullName({ host, name }: ConfiguredServer): string {
  return `${host.id}:${plainLine(name)}`;
}

/** The same host prefers the file of the current folder; several hosts may know the same server. */
function distinct(servers: readonly ConfiguredServer[]): ConfiguredServer[] {
  const ofHosts = new Map<string, ConfiguredServer>();
  for (const server of servers) if (!ofHosts.has(fullName(server))) ofHosts.set(fullName(server), server);
  return [...new Map([...ofHosts.values()].reverse().map(one => [JSON.stringify(one.server), one])).values()];
}

function notFound(word: string, servers: readonly ConfiguredServer[]): Error {
  const text = plainLine(word);
  const near = closest(word, [...servers.map(({ name }) => name), ...servers.map(fullName)]);
  const isFile = /[/\\]|\.[cm]?[jt]s$|\.py$/.test(word);
  const isHostAndPort = /^[\w.-]+:\d+/.test(word);
  const message = `"${text}" is no URL, and no host on this machine knows a server of this name`;
  if (/^[\w+.-]+:\/\//.test(word))
    return usageError(
      `"${text}" is no URL of an MCP server`,
      'Give one that begins with https:// or http://.',
    );
  if (isHostAndPort) return usageError(message, `Give the whole URL: http://${text}`);
  if (near !== undefined)
    return usageError(message, `Did you mean "${plainLine(near)}"? \`tenon list\` shows all names.`);
  if (isFile)
    return usageError(message, `Start it as a program: -- ${starterOf(text)}, at the end of the line.`);
  return usageError(
    message,
    'Give a URL, start a program (-- node server.js), or see `tenon list` for names.',
  );
}

/** The command that starts the server in a file. Node alone does not read TypeScript whose imports end in `.js`. */
function starterOf(file: string): string {
  if (/\.[cm]?ts$/.test(file)) return `npx tenon dev ${file} --stdio`;
  return file.endsWith('.py') ? `python ${file}` : `node ${file}`;
}

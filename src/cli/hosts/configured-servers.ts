import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { HOSTS } from './all-hosts.js';
import type { Host, HostedServer, Surroundings } from './host.js';

/** A server that a host on this machine knows. */
export interface ConfiguredServer {
  readonly name: string;
  readonly host: Host;
  readonly file: string;
  /** As it is written: variables are not expanded. */
  readonly server: HostedServer;
}

/** What the hosts on this machine know, and which of their files cannot be read. */
export interface ConfiguredServers {
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly { readonly file: string; readonly host: Host; readonly problem: string }[];
}

/** Reads the configuration of every known host. Nothing is changed, and nothing is started. */
export function readConfiguredServers(here: Surroundings = surroundings()): ConfiguredServers {
  const servers: ConfiguredServer[] = [];
  const problems: ConfiguredServers['problems'][number][] = [];
  for (const host of HOSTS) {
    for (const file of host.files(here)) {
      try {
        servers.push(...readFile(host, file, here));
      } catch (error) {
        problems.push({ file, host, problem: (error as Error).message });
      }
    }
  }
  return { servers, problems };
}

export function surroundings(): Surroundings {
  return { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env };
}

function readFile(host: Host, file: string, here: Surroundings): ConfiguredServer[] {
  const text = readIfThere(file);
  if (text === undefined || text.trim() === '') return [];
  return [...host.read(text, here)].flatMap(([name, entry]) => {
    const server = host.readServer(entry);
    return server ? [{ name, host, file, server }] : [];
  });
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

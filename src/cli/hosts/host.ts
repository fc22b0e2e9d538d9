import { join } from 'node:path';

/** A server that a host starts itself. */
export interface LocalServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A server that a host reaches by its URL. */
export interface RemoteServer {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export type HostedServer = LocalServer | RemoteServer;

/** Where hosts look for their configuration. */
export interface Surroundings {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** How a host is told of a server: what to do, and the text to paste or to run. */
export interface Snippet {
  readonly advice: string;
  readonly text: string;
}

/** A program that connects models to servers, and keeps a list of them in a file. */
export interface Host {
  /** As in `cursor:bistro` and `--for cursor`. */
  readonly id: string;
  readonly title: string;
  /** The files that it reads, those of the current folder first. */
  files(here: Surroundings): string[];
  /** The servers in one of these files, as they are written there. Throws if the text cannot be parsed. */
  read(text: string, here: Surroundings): ReadonlyMap<string, unknown>;
  /** A server from its entry; undefined if the entry is none. Variables are not expanded yet. */
  readServer(entry: unknown): HostedServer | undefined;
  writeSnippet(name: string, server: HostedServer): Snippet;
}

/** The folder in which graphical programs of this platform keep their configuration. */
export function configFolder({ platform, home, env }: Surroundings): string {
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME || join(home, '.config');
}

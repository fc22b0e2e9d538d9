import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const PACKAGES = fileURLToPath(new URL('node_modules/', import.meta.url));
const NO_NETWORK = new URL('fixtures/no-network.mjs', import.meta.url);

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The path of a script in an installed package. */
export function script(path: string): string {
  return `${PACKAGES}${path}`;
}

/** A folder that stands for the user's home, removed after the tests of a file. */
export function createHome(): string {
  const home = mkdtempSync(`${tmpdir()}/tenon-peers-`);
  afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** The environment of peers: they write below `home`, and reach nothing but this machine. */
export function environment(home: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TMPDIR: home,
    XDG_CACHE_HOME: `${home}/.cache`,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local`,
    NODE_OPTIONS: `--import ${NO_NETWORK.href}`,
    DO_NOT_TRACK: '1',
  };
}

/** Node 24 from npm, for peers that do not run on the oldest Node that Tenon supports. */
export const NEWER_NODE =
  Number(process.versions.node.split('.')[0]) >= 24
    ? process.execPath
    : script(`node-${process.platform}-${process.arch}/bin/node`);

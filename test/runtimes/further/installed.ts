import { fileURLToPath } from 'node:url';
import type { Runtime } from '../program.js';

/** Where `npm run test:runtimes` installs packages. */
export const PACKAGES = fileURLToPath(new URL('../packages/node_modules', import.meta.url));

// The programs are in the packages for each platform, so no install script has to run.
export const BUN: Runtime = [
  `${PACKAGES}/@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}/bin/bun`,
];
export const DENO: Runtime = [`${PACKAGES}/@deno/linux-${process.arch}-glibc/deno`, 'run', '--allow-all'];
export const NEWEST_NODE: Runtime = [`${PACKAGES}/node-linux-${process.arch}/bin/node`];

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Ledger } from './ledger.js';

/** The program of the studio, which serves on one transport. */
export const PROGRAM = fileURLToPath(new URL('node.mjs', import.meta.url));
/** The processes of a server have the same key, so that each takes sessions and rounds of the others. */
const KEY = randomBytes(32).toString('base64');

export interface ProgramOptions {
  transport: 'stdio' | 'http' | 'memory';
  /** Processes with the same name share a part of the store. The first of them never ends its work. */
  name: string;
  ledger: Ledger;
  /** The store; without one, the process is alone. */
  store?: string;
}

/** How long the work takes; ten seconds in `npm run test:long`. */
export const WORK_MS = Number(process.env.WORK_MS ?? 300);

/** The variables of a process. */
export function environmentOf({ transport, name, ledger, store = '' }: ProgramOptions) {
  return {
    TRANSPORT: transport,
    NAME: name,
    LEDGER: ledger.file,
    STORE: store,
    WORK_MS: `${WORK_MS}`,
    KEY,
  };
}

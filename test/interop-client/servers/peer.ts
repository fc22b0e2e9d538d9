import type { ConnectTarget } from '../../../src/client/connect.js';
import { nodeArgs, preload, ROOT } from './child.js';
import { type Passed, recordHttp } from './recorder.js';
import type { Serving } from './serving.js';

/** A server of somebody else, and what it saw of us. */
export interface Peer {
  target: ConnectTarget;
  /** What it was sent, in order: the methods of messages, and `GET` and `DELETE` of HTTP. */
  sent(): string[];
  /** The HTTP requests, where there are some. */
  passed: readonly Passed[];
  /** Whether something of the client is left there: a connection, or the process that it started. */
  holds(): Promise<boolean>;
  close(): Promise<void>;
}

export async function httpPeer(serving: Serving, path = '/mcp'): Promise<Peer> {
  const { origin, passed, connections, close } = await recordHttp(serving);
  return {
    target: `${origin}${path}`,
    sent: () => passed.map(({ what }) => what),
    passed,
    holds: async () => (await connections()) > 0,
    close,
  };
}

/** A script of this folder, or of an installed package, that is started by the client. */
export function stdioPeer(script: string, ...args: string[]): Peer {
  let stderr = '';
  const told = (tag: string) =>
    [...stderr.matchAll(new RegExp(`^\\[${tag}\\] (.+)$`, 'gm'))].map(([, it]) => it!);
  return {
    target: {
      command: process.execPath,
      args: [...preload('tell-methods.mjs'), ...nodeArgs(script, ...args)],
      cwd: ROOT,
      onStderr: text => {
        stderr += text;
      },
    },
    sent: () => told('got'),
    passed: [],
    holds: async () => told('pid').some(isAlive),
    close: async () => {},
  };
}

function isAlive(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

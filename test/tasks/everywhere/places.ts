import type { CallToolResult } from 'tenon';
import type { ConnectOptions, ConnectTarget } from 'tenon/client';
import { type CallEvents, callFilm, open, type Way } from './call.mjs';
import type { Ledger } from './ledger.js';

export const TRANSPORTS = ['stdio', 'Streamable HTTP', 'the fetch handler', 'memory'] as const;
export type TransportName = (typeof TRANSPORTS)[number];

/** Where servers are, and how they are reached. */
export interface Places {
  readonly ledger: Ledger;
  call(transport: TransportName, way: Way, title: string, events: CallEvents): Promise<CallToolResult>;
  /** Kills the processes that have been called first. Absent where no other process could go on. */
  kill?(): void;
  stop(): Promise<void>;
}

/** Connects, calls the tool, and closes the connection. */
export async function callAt(
  target: ConnectTarget,
  [way, title, events]: [way: Way, title: string, events: CallEvents],
  options?: ConnectOptions,
): Promise<CallToolResult> {
  const client = await open(target, way, events, options);
  try {
    return await callFilm(client, way, title, events);
  } finally {
    await client.close();
  }
}

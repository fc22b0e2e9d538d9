import { createStore } from 'solid-js/store';
import type { ServerDescription } from 'tenon/client';
import type { PageProblem } from '../../api.js';
import { command, problemOf } from '../backend.js';

/** A connection as the page knows it. */
export interface ConnectionState {
  state: 'connecting' | 'connected' | 'failed' | 'closed';
  /** What it is doing, or why it was closed. */
  detail: string;
  revision?: string;
  server?: ServerDescription;
  problem?: PageProblem | undefined;
}

const [connections, setConnections] = createStore<Record<string, ConnectionState>>({});

export { connections };

/** Connects, unless the connection is open. Returns whether it is. */
export async function openConnection(name: string): Promise<boolean> {
  const known = connections[name]?.state;
  if (known === 'connected' || known === 'connecting') return known === 'connected';
  setConnections(name, { state: 'connecting', detail: 'Connecting', problem: undefined });
  try {
    const { revision, server } = await command('connect', { connection: name });
    setConnections(name, { state: 'connected', detail: 'Connected', revision, server });
    return true;
  } catch (error) {
    const problem = problemOf(error);
    setConnections(name, { state: 'failed', detail: 'Not connected', problem });
    return false;
  }
}

export function noteStatus(name: string, detail: string, isConnected: boolean): void {
  const state = connections[name]?.state;
  if (state === 'connecting') setConnections(name, 'detail', detail);
  // A call connects again by itself.
  if (state === 'closed' && isConnected) setConnections(name, { state: 'connected', detail });
}

export function noteClosed(name: string, reason: string): void {
  setConnections(name, { state: 'closed', detail: reason });
}

import type { Client, ConnectOptions } from '../../src/client/index.js';
import { connected, serveRaw } from '../client-faults/connected.js';
import { type Answer, legacy, type RawServer } from '../client-faults/raw-server.js';

export const REVISION = '2025-06-18';

/** A server by hand, and a client that speaks 2025-06-18 with it. */
export async function pair(
  answers: Record<string, Answer>,
  options: ConnectOptions = {},
): Promise<{ client: Client; server: RawServer }> {
  const server = await serveRaw(legacy(answers));
  return { server, client: await connected(server.url, { revision: REVISION, ...options }) };
}

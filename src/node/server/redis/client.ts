import { UsageError } from '../../../base/errors.js';
import { inTime } from '../../../server/cluster/kept-connection.js';

/** What this SDK uses of a client of `@redis/client`. */
export interface RedisClient {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  ping(): Promise<unknown>;
  sendCommand(words: readonly string[]): Promise<unknown>;
  subscribe(
    channels: string | string[],
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

/** How clients are made. */
export interface ClientSettings {
  readonly url: string;
  readonly timeoutMs: number;
  /** Further options of `createClient`. */
  readonly client: Readonly<Record<string, unknown>>;
}

/** Opens a client that does not connect again by itself: `KeptConnection` does, and tells what was missed. */
export async function openClient(
  { url, timeoutMs, client: options }: ClientSettings,
  onLost: (cause: unknown) => void,
): Promise<RedisClient> {
  const createClient = await loadClient();
  const client = createClient({
    maintNotifications: 'disabled',
    ...options,
    url,
    disableOfflineQueue: true,
    // `KeptConnection` bounds the time of each command, for less than the client's signal per command costs.
    commandOptions: { ...(options.commandOptions as object | undefined), timeout: undefined },
    socket: {
      ...(options.socket as object | undefined),
      connectTimeout: timeoutMs,
      reconnectStrategy: false,
    },
  });
  client.on('error', onLost);
  await inTime(client.connect(), timeoutMs, () => endClient(client));
  return client;
}

/** Ends a client. Older versions throw if it has ended by itself. */
export function endClient(client: RedisClient): void {
  try {
    client.destroy();
  } catch {
    // It has ended.
  }
}

/** Loads the package, and returns what creates clients. */
export async function loadClient(): Promise<(options: object) => RedisClient> {
  try {
    const { createClient } = await import('@redis/client');
    return createClient as unknown as (options: object) => RedisClient;
  } catch (cause) {
    throw new UsageError('tenon/redis needs the package @redis/client: npm install @redis/client', { cause });
  }
}

import type { CallToolResult } from 'tenon';
import type { Client, ConnectOptions, ConnectTarget } from 'tenon/client';

export interface Way {
  readonly name: string;
  readonly revision: string;
  readonly isTask?: boolean;
  /** Whether the client keeps the answers of the last round, so that it can send the round again. */
  readonly isByRound?: boolean;
}

/** What a client tells while it calls. */
export interface CallEvents {
  /** It was asked. */
  asked(message: string): void;
  /** With this, which is JSON, another client could go on. */
  save(state: unknown): void;
}

export const WAYS: readonly Way[];
export function open(
  target: ConnectTarget,
  way: Way,
  events: CallEvents,
  options?: ConnectOptions,
): Promise<Client>;
export function callFilm(
  client: Client,
  way: Way,
  title: string,
  events: CallEvents,
  saved?: unknown,
): Promise<CallToolResult>;

import { createStore } from 'solid-js/store';
import type { Subject } from '../place.js';
import { pageState } from './page-state.js';
import type { Run } from './runs.js';

/** A call of the past. */
export interface PastCall {
  readonly at: number;
  readonly subject: Subject;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly outcome: 'done' | 'failed' | 'cancelled';
  readonly tookMs: number;
}

const MAX_CALLS = 50;
/** Larger arguments are not kept. */
const MAX_LENGTH = 20_000;

const [pastCalls, setPastCalls] = createStore<PastCall[]>([]);

export { pastCalls };

/** Reads the calls of earlier visits to this target. */
export function recall(): void {
  try {
    setPastCalls(JSON.parse(localStorage.getItem(storageKey()) ?? '[]'));
  } catch {
    // What another version or a user wrote there is not needed.
  }
}

export function remember({
  subject,
  method,
  params,
  state,
  startedAt,
  endedAt = Date.now(),
  result,
}: Run): void {
  if (JSON.stringify(params).length > MAX_LENGTH) return;
  const outcome = state === 'running' ? 'cancelled' : result?.isError === true ? 'failed' : state;
  const call = { at: startedAt, subject, method, params, outcome, tookMs: endedAt - startedAt };
  setPastCalls(calls => [call, ...calls].slice(0, MAX_CALLS));
  store();
}

export function forgetAll(): void {
  setPastCalls([]);
  store();
}

function store(): void {
  try {
    localStorage.setItem(storageKey(), JSON.stringify(pastCalls));
  } catch {
    // The storage is full or switched off. The history then lasts as long as the page.
  }
}

function storageKey(): string {
  return `tenon.history ${pageState()?.target ?? ''}`;
}

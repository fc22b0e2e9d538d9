import { throwIfAborted } from '../base/abort.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import { Deadline } from './deadline.js';
import { MIDDLEWARE_GRACE_MS } from './limits.js';
import { pause } from './pause.js';

/** When the code of an author has to be over. */
export interface WorkLimits {
  /** Undefined if the work has limits of its own. */
  readonly deadline: Deadline | undefined;
  readonly signals: readonly (AbortSignal | undefined)[];
  /** How long a request may be held before it is passed on. Later, its own timeout runs. */
  readonly timeoutMs?: number | undefined;
  readonly hasPassed?: (() => boolean) | undefined;
  /** How long the work may go on after that, to end in its own way. */
  readonly graceMs?: number | undefined;
}

/** Waits for the code of an author, which may never end: rejects soon after its limits are reached. */
export function withinLimits<T>(work: Promise<T>, what: string, limits: WorkLimits): Promise<T> {
  const over = new AbortController();
  return Promise.race([work, expire(what, limits, over.signal)]).finally(() => over.abort());
}

async function expire(what: string, limits: WorkLimits, over: AbortSignal): Promise<never> {
  const { signals } = limits;
  const held = limits.timeoutMs === undefined ? undefined : new Deadline(limits.timeoutMs);
  const holding = () => (limits.hasPassed?.() ? undefined : held);
  const leftMs = () => Math.min(limits.deadline?.leftMs ?? MAX_TIMER_MS, holding()?.leftMs ?? MAX_TIMER_MS);
  const check = () => {
    for (const signal of signals) throwIfAborted(signal);
    limits.deadline?.check(what);
    holding()?.check(what);
  };
  while (!over.aborted) {
    await pause(Math.min(leftMs(), MAX_TIMER_MS), over, ...signals);
    const isReached = leftMs() <= 0 || signals.some(signal => signal?.aborted);
    if (!isReached || over.aborted) continue;
    await pause(limits.graceMs ?? MIDDLEWARE_GRACE_MS, over);
    if (!over.aborted) check();
  }
  // The work has ended, so this is never used.
  return undefined as never;
}

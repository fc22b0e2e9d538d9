/** Timers that are set to more go off at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

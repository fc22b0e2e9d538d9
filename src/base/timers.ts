/** The longest delay of a timer, in milliseconds. A timer with a longer one fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

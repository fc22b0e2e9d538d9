/** The longest time that a timer can be set to, in milliseconds. One with a longer time goes off at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

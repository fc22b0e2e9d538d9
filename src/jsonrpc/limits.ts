// Limits on the messages of both sides.

/** How deep the arrays and objects of a message may be nested. */
export const MAX_DEPTH = 256;
/** How many names the objects of a client's message may have. Whatever a server does with them then takes little time. */
export const MAX_SENT_NAMES = 15_000;
/** How many arrays and objects a client's message may have. */
export const MAX_SENT_CONTAINERS = 50_000;
/** How many commas a client's message may have, and so about how many values. */
export const MAX_SENT_VALUES = 200_000;
/** How many arrays and objects a server's message may have: about 50 ms of work for the parser, whatever its size. */
export const MAX_CONTAINERS = 250_000;
/** How many names an object in a server's message may have. */
export const MAX_NAMES = 50_000;
/** How many messages a server may send in one batch. */
export const MAX_MESSAGES = 1000;

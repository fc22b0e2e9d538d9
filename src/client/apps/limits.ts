/** The longest message of an app, in characters of its JSON. */
export const MAX_MESSAGE_LENGTH = 1024 * 1024;
/** How many values a message of an app may have. */
export const MAX_VALUES = 50_000;
/** How many messages of an app are taken in a second, on average. */
export const MESSAGES_PER_SECOND = 50;
/** How many of them are taken at once, after a quiet time. */
export const MESSAGE_BURST = 200;
/** How many further messages are refused at once, before the app is ended. */
export const REFUSAL_BURST = 1000;
/** How many requests of an app may wait for an answer at the same time, most of them for the user. */
export const MAX_REQUESTS = 16;
/** How many hosts a list of the policy of an app may name. */
export const MAX_SOURCES = 50;
/** How long the page of the sandbox may take to load. */
export const SANDBOX_TIMEOUT_MS = 15_000;
/** How long an app may take to finish before its frame is emptied. */
export const TEARDOWN_TIMEOUT_MS = 1000;
/** The greatest height of a frame that follows its app, in pixels. */
export const MAX_HEIGHT = 720;

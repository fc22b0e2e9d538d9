/**
 * What a client needs when its first result arrives, but not to connect: the check of results, their icons, and the known
 * tools. It is loaded on demand, and as one part: with more parts, bundlers cut the rest of the client into more pieces.
 */
export { removeUnsafeIcons } from './icons.js';
export { checkResult } from './result-check.js';
export { KnownTools } from './tools.js';

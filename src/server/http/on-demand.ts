/**
 * What plain calls to an open server over HTTP do not need: the handshake era, access, the documents about it, and
 * requests of web pages. It is loaded on demand, and as one part, because bundlers would cut the rest into a piece
 * for each combination of parts.
 */
export { createHttpAccess } from './access.js';
export { withCors } from './cors.js';
export { LegacyHttp } from './legacy/endpoint.js';
export { answerPreflight } from './preflight.js';
export { respondDocument } from './protection-document.js';

/**
 * Everything that plain calls to modern servers over HTTP do not need: answers to questions, changes, the handshake,
 * pipes, limits of middleware, and showing messages. It is loaded on demand, and as one part, because bundlers would cut
 * the rest of the client into a piece for each combination of parts.
 */
export { checkAnswers } from './answer-check.js';
export { answerAll, answerQuestion } from './answers.js';
export { listenToChanges } from './changes.js';
export { checkRoots } from './check-roots.js';
export { InstalledExtensions } from './extensions/install.js';
export { readStream } from './http/read-stream.js';
export { SseTransport } from './http/sse-transport.js';
export { LegacyLink } from './legacy/link.js';
export { listenToServer } from './modern/listen.js';
export { checkOwnExtensions } from './own-extensions.js';
export { checkOwnMeta } from './own-meta.js';
export { checkOwnMethod } from './own-method.js';
export { pingPeriodically } from './pings.js';
export { openOverPipe } from './pipe-opening.js';
export { openDuplex } from './pipe-wire.js';
export { checkHeld } from './question-check.js';
export { QuestionRate } from './question-rate.js';
export { checkSending, whyNotSend } from './sending.js';
export { checkFollowsTasks } from './task-options.js';
export { checkOutput } from './tool-output.js';
export { observe } from './traffic.js';
export { withinLimits } from './within-limits.js';

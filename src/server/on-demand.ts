/**
 * Everything that most requests do not need: questions and their rounds, seals, streams of changes, members of templates,
 * completion, results of prompts, arguments in headers, middleware, batches, what nodes share, and connections in one
 * process. It is loaded on demand, and as one part, because bundlers would cut the rest of the server into a piece for
 * each combination of parts.
 */
export { canonicalText } from '../base/canonical.js';
export { Peer } from '../jsonrpc/peer.js';
export { parameterHeaderMismatch } from '../protocol/parameter-header-mismatch.js';
export { questionProblem } from '../protocol/question-problem.js';
export { toStepResult } from '../protocol/step.js';
export { objectionTo } from '../revisions/objection.js';
export { encodeQuestion } from '../revisions/questions.js';
export { contentProblem } from './context/answer-content.js';
export { readAnswer, readState } from './context/by-hand.js';
export {
  askAsIs,
  elicit,
  elicitUrl,
  readQuestions,
  roots,
  sample,
} from './context/questions.js';
export { askOutside, pingOutside, requestOutside } from './legacy/ask-outside.js';
export { readBatch, refuseBatch, respondToBatch } from './legacy/batch.js';
export { askAndRunAgain } from './legacy/by-hand.js';
export { Memory } from './legacy/memory.js';
export { answerRequiredPages } from './legacy/required-pages.js';
export { warnLocal } from './local-only.js';
export { answerListen } from './modern/listen.js';
export { Rounds } from './modern/rounds.js';
export { join } from './nodes/join.js';
export { Pipe } from './pipe.js';
export { complete } from './registry/completion.js';
export { toPromptResult } from './registry/prompt-result.js';
export { pageWithMembers } from './registry/resource-list.js';
export { Round } from './rounds/round.js';
export { runMiddleware, runQuestion } from './run-middleware.js';
export { createKeylessSeal } from './seal/keyless-seal.js';
export { withRecent } from './seal/recent-seals.js';
export { createSeal } from './seal/seal.js';
export { forServer } from './seal/server-seal.js';
export { createMemorySingleUse, createSingleUse } from './single-use.js';

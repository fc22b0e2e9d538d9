import type { canonicalText } from '../../base/canonical.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { Asking } from '../../protocol/asking.js';
import type { questionProblem } from '../../protocol/question-problem.js';
import type { toStepResult } from '../../protocol/step.js';
import type { objectionTo } from '../../revisions/objection.js';
import type { encodeQuestion } from '../../revisions/questions.js';
import type { askOutside, pingOutside, requestOutside } from './ask-outside.js';
import type { readBatch, respondToBatch } from './batch.js';
import type { askAndRunAgain } from './by-hand.js';
import type { Memory } from './memory.js';
import type { answerRequiredPages } from './required-pages.js';

/** The part of the era that is loaded on demand: most calls ask no questions. */
export interface LegacyPart extends Asking {
  canonicalText: typeof canonicalText;
  toStepResult: typeof toStepResult;
  questionProblem: typeof questionProblem;
  encodeQuestion: typeof encodeQuestion;
  objectionTo: typeof objectionTo;
  askAndRunAgain: typeof askAndRunAgain;
  Memory: typeof Memory;
  Peer: typeof Peer;
  answerRequiredPages: typeof answerRequiredPages;
  readBatch: typeof readBatch;
  respondToBatch: typeof respondToBatch;
  askOutside: typeof askOutside;
  pingOutside: typeof pingOutside;
  requestOutside: typeof requestOutside;
}

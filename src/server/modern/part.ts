import type { Asking } from '../../protocol/asking.js';
import type { objectionTo } from '../../revisions/objection.js';
import type { encodeQuestion } from '../../revisions/questions.js';
import type { Round } from '../rounds/round.js';
import type { forServer } from '../seal/server-seal.js';
import type { answerListen } from './listen.js';
import type { Rounds } from './rounds.js';

/** The part of the era that is loaded on demand: most calls have one round, without questions and steps. */
export interface ModernPart extends Asking {
  encodeQuestion: typeof encodeQuestion;
  objectionTo: typeof objectionTo;
  forServer: typeof forServer;
  answerListen: typeof answerListen;
  Round: typeof Round;
  Rounds: typeof Rounds;
}

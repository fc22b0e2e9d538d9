import { UsageError } from '../base/errors.js';
import type { AnswerOptions } from './answer-options.js';
import { shapeProblem } from './answer-shape.js';

/** Throws if a list of roots cannot be sent to servers. */
export function checkRoots(roots: AnswerOptions['roots']): void {
  if (roots === undefined || typeof roots === 'function') return;
  const problem = shapeProblem({ method: 'roots/list' }, { roots });
  if (problem) throw new UsageError(problem);
}

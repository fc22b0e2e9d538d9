import { findNonJson } from '../base/canonical.js';
import { UsageError } from '../base/errors.js';
import { copyJson } from '../base/json.js';

/** A JSON copy of the result of a step, in every revision, because some revisions send it. Throws if that fails. */
export function toStepResult<T>(name: string, result: T): T {
  const problem = result === undefined ? undefined : findNonJson(result, 'the result');
  if (problem) throw new UsageError(`step "${name}" must return what JSON can carry, but ${problem}`);
  return copyJson(result);
}

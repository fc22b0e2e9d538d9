import { findNonJson } from './canonical.js';

/** The result of a step travels as JSON, so it has to survive that on every revision. */
export function checkStepResult(name: string, result: unknown): void {
  const problem = result === undefined ? undefined : findNonJson(result, 'the result');
  if (problem) throw new TypeError(`step "${name}" must return what JSON can carry, but ${problem}`);
}

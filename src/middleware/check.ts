import { UsageError } from '../base/errors.js';

/** Refuses a number that would switch off what it limits, such as NaN. */
export function checkAtLeast(name: string, value: number, least: number): void {
  if (!(typeof value === 'number' && value >= least))
    throw new UsageError(`${name} must be a number of at least ${least}, but is ${String(value)}`);
}

/** Refuses a number that is not above 0. */
export function checkPositive(name: string, value: number): void {
  if (!(typeof value === 'number' && value > 0))
    throw new UsageError(`${name} must be a positive number, but is ${String(value)}`);
}

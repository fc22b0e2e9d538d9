import { UsageError } from '../base/errors.js';
import type { InputRequest, InputRequiredResult } from './input.js';

/**
 * Builds an input-required result. It needs questions, a state, or both.
 *
 * @example
 * inputRequired({ requests: { roots: { method: 'roots/list' } }, state: { page: 2 } });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequiredresult
 */
export function inputRequired(input: {
  requests?: Record<string, InputRequest>;
  /** Any value other than a string is serialized as JSON. */
  state?: unknown;
}): InputRequiredResult {
  if (input?.requests === undefined && input?.state === undefined) {
    throw new UsageError('inputRequired needs `requests`, `state`, or both');
  }
  return {
    resultType: 'input_required',
    ...(input.requests !== undefined && { inputRequests: input.requests }),
    ...(input.state !== undefined && {
      requestState: typeof input.state === 'string' ? input.state : stateText(input.state),
    }),
  };
}

function stateText(state: unknown): string {
  try {
    const text: string | undefined = JSON.stringify(state);
    if (text !== undefined) return text;
  } catch (cause) {
    throw new UsageError(`the state cannot be written as JSON: ${(cause as Error).message}`, { cause });
  }
  throw new UsageError(`the state cannot be written as JSON: it is a ${typeof state}`);
}

/** Whether a result asks for input instead of completing the request. */
export function isInputRequired(result: object): result is InputRequiredResult {
  return (result as Partial<InputRequiredResult>).resultType === 'input_required';
}

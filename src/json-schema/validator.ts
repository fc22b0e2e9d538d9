import { compile } from './compile.js';
import { checkNode } from './node.js';
import type { SchemaOptions } from './options.js';
import { describeProblem } from './problem.js';
import { Run } from './run.js';

export type { SchemaOptions } from './options.js';
export { type RefusalReason, SchemaRefused } from './refusal.js';

/** A JSON Schema, ready to check values with. */
export interface Validator {
  /**
   * Returns the first problem of a value, such as `guests must be at least 1`; undefined if it fits. Throws
   * `SchemaRefused` with reason `too-complex` if the check takes too long.
   */
  check(value: unknown): { problem: string } | undefined;
}

/**
 * Prepares a JSON Schema of dialect 2020-12. Nothing is ever fetched, no code is generated, and both reading and
 * checking take a bounded number of steps, also with patterns.
 *
 * @throws SchemaRefused if the schema is malformed, too large, of another dialect, or refers to something
 * outside of itself. Its message names the place and the reason.
 *
 * @example
 * const { check } = compileJsonSchema({ properties: { guests: { minimum: 1 } } }, { from: 'author' });
 * check({ guests: 0 }); // { problem: 'guests must be at least 1' }
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-validation
 */
export function compileJsonSchema(schema: unknown, options: SchemaOptions): Validator {
  const root = compile(schema, options);
  return {
    check(value) {
      const problem = checkNode(root, value, new Run(options));
      return problem && { problem: describeProblem(problem) };
    },
  };
}

import { compile } from './compile.js';
import { checkNode } from './node.js';
import { describeProblem } from './problem.js';
import { Run } from './run.js';

export { type RefusalReason, SchemaRefused } from './refusal.js';

/** A JSON Schema, ready to check values with. */
export interface Validator {
  /**
   * The first thing that is wrong with a value, such as `guests: must be >= 1`; undefined if it fits. Throws
   * `SchemaRefused` with reason `too-complex` if it cannot be told in about 20 ms.
   */
  check(value: unknown): { problem: string } | undefined;
}

/**
 * Prepares a JSON Schema.
 *
 * Dialects 2020-12 and draft-07; a schema without `$schema` may mix them. `format` is not checked. Nothing is
 * ever fetched, no code is generated, and both reading and checking take a bounded number of steps. A pattern
 * with lookaround or back-references, or a very large one, is valid but not enforced: it cannot be tested in
 * linear time.
 *
 * @throws SchemaRefused if the schema is malformed, too large, of another dialect, or refers to something
 * outside of itself. Its message says what and where.
 */
export function compileJsonSchema(schema: unknown): Validator {
  const root = compile(schema);
  return {
    check(value) {
      const problem = checkNode(root, value, new Run());
      return problem && { problem: describeProblem(problem) };
    },
  };
}

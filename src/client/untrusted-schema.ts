import { compile } from './untrusted-schema/compile.js';
import { checkNode } from './untrusted-schema/node.js';
import { describeProblem } from './untrusted-schema/problem.js';
import { SchemaRefused } from './untrusted-schema/refusal.js';
import { Run } from './untrusted-schema/run.js';
import { beforeWork, weigh } from './weight.js';

export { type RefusalReason, SchemaRefused } from './untrusted-schema/refusal.js';

/** How many values a schema may have. */
const MAX_VALUES = 60_000;

/** A schema of a peer that nobody vouches for, ready to check values with. */
export interface UntrustedSchema {
  /**
   * The first thing that is wrong with a value, such as `guests: must be >= 1`; undefined if it fits. Throws
   * `SchemaRefused` with reason `too-complex` if it cannot be told in about 20 ms.
   */
  check(value: unknown): { problem: string } | undefined;
}

/**
 * Prepares a JSON Schema that a server has sent: a tool's `outputSchema`, the `requestedSchema` of a form.
 *
 * Dialects 2020-12 and draft-07; a schema without `$schema` may mix them. `format` is not checked. Nothing is
 * ever fetched, no code is generated, and both reading and checking take a bounded number of steps. A pattern
 * with lookaround or back-references, or a very large one, is valid but not enforced: it cannot be tested in
 * linear time.
 *
 * @throws SchemaRefused if the schema is malformed, too large, of another dialect, or refers to something
 * outside of itself. Its message says what and where.
 *
 * @example
 * const schema = await compileUntrustedSchema(tool.outputSchema);
 * const wrong = schema.check(result.structuredContent);
 * if (wrong) throw new Error(`tool "${tool.name}" broke its own schema: ${wrong.problem}`);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema
 */
export async function compileUntrustedSchema(schema: unknown): Promise<UntrustedSchema> {
  await beforeWork(schema);
  if (!weigh(schema, MAX_VALUES)) {
    throw new SchemaRefused('too-complex', '#', `too complex to read: it has more than ${MAX_VALUES} values`);
  }
  const root = compile(schema);
  return {
    check(value) {
      const problem = checkNode(root, value, new Run());
      return problem && { problem: describeProblem(problem) };
    },
  };
}

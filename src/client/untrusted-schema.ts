import type { SchemaOptions, Validator } from '../json-schema/validator.js';
import { beforeWork, measure } from './weight.js';

/** How many values a schema may have. */
const MAX_VALUES = 60_000;

/** A compiled schema that came from the peer and is not trusted. */
export type UntrustedSchema = Validator;

/**
 * Compiles a JSON Schema sent by a server: a tool's `outputSchema`, or the `requestedSchema` of a form. The validator
 * is loaded with the first schema.
 *
 * Dialects 2020-12 and draft-07; a schema without `$schema` may mix them. A pattern with lookaround or
 * back-references, or a very large one, is valid but not enforced: it cannot be tested in linear time.
 *
 * @throws SchemaRefused if the schema cannot be used. Its message says why and where.
 *
 * @example
 * const schema = await compileUntrustedSchema(tool.outputSchema);
 * const wrong = schema.check(result.structuredContent);
 * if (wrong) throw new Error(`tool "${tool.name}" broke its own schema: ${wrong.problem}`);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema
 */
export async function compileUntrustedSchema(
  schema: unknown,
  options?: Pick<SchemaOptions, 'checkFormats'>,
): Promise<UntrustedSchema> {
  const { compileJsonSchema, SchemaRefused } = await import('../json-schema/validator.js');
  await beforeWork(schema);
  if (!measure(schema, MAX_VALUES)) {
    throw new SchemaRefused('too-complex', '#', `too complex to read: it has more than ${MAX_VALUES} values`);
  }
  return compileJsonSchema(schema, { ...options, from: 'peer' });
}

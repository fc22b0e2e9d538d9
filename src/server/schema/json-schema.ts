import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { compileJsonSchema, SchemaRefused } from '../../json-schema/validator.js';
import type { Checked } from './schema.js';

/** Compiles an author's JSON Schema into a check. Throws a `UsageError` that begins with `what` if that fails. */
export function compileAuthored(
  schema: JsonObject,
  what: string,
  checkFormats: boolean,
): (value: unknown) => Checked {
  const { check } = orUsageError(what, () => compileJsonSchema(schema, { from: 'author', checkFormats }));
  return value => {
    try {
      return check(value) ?? { value };
    } catch (error) {
      // The schema itself was accepted, so the value is too complex: nested too deeply, or too long for a pattern.
      if (error instanceof SchemaRefused) return { problem: error.message };
      throw error;
    }
  };
}

function orUsageError<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SchemaRefused) throw new UsageError(`${what}: ${cause.message}`, { cause });
    throw cause;
  }
}

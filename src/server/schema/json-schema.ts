import { findNonJson } from '../../base/canonical.js';
import { UsageError } from '../../base/errors.js';
import type { JsonSchema } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import { compileJsonSchema, SchemaRefused } from '../../json-schema/validator.js';
import type { Checked } from './schema.js';

/** Compiles an author's JSON Schema into a check. Throws a `UsageError` that begins with `what` if that fails. */
export function compileAuthored(
  schema: JsonSchema,
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

/** Checks a value in the form that JSON gives it. */
export function checkAsJson(schema: JsonSchema, what: string, value: unknown): Checked {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    const [why] = messageOf(error).split('\n');
    return { problem: `JSON cannot carry it: ${why}` };
  }
  if (text === undefined) return { problem: `JSON cannot carry it: it is a ${typeof value}` };
  let check = checks.get(schema);
  if (!check) {
    check = compileAuthored(schema, what, false);
    checks.set(schema, check);
  }
  const checked = check(JSON.parse(text));
  if ('value' in checked) return checked;
  const changed = findNonJson(value);
  return changed ? { problem: `${checked.problem} (${changed}, which JSON changes)` } : checked;
}

const checks = new WeakMap<JsonSchema, (value: unknown) => Checked>();

function orUsageError<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof SchemaRefused) throw new UsageError(`${what}: ${cause.message}`, { cause });
    throw cause;
  }
}

import { canonicalText } from '../base/canonical.js';
import { Recent } from '../base/recent.js';
import { compileUntrustedSchema, type UntrustedSchema } from './untrusted-schema.js';
import { measure } from './weight.js';

/** Limits for schemas in the cache. Larger forms are rare. */
const MAX_VALUES = 100;
const MAX_CHARACTERS = 2048;
const MAX_COUNT = 100;

/** The `format` of a field is part of what the user must enter, so it is enforced. */
const CHECKS = { checkFormats: true };

const recent = new Recent<UntrustedSchema>(MAX_COUNT);

/**
 * Compiles the schema of a form. Servers repeat the same forms, and compiling takes longer than everything else about a
 * question, so small schemas are cached. Throws `SchemaRefused` as `compileUntrustedSchema` does.
 */
export async function compileUntrustedForm(schema: unknown): Promise<UntrustedSchema> {
  const text = keyOf(schema);
  if (text === undefined) return compileUntrustedSchema(schema, CHECKS);
  const compiled = recent.get(text) ?? (await compileUntrustedSchema(schema, CHECKS));
  recent.set(text, compiled);
  return compiled;
}

/** The cache key of a form; undefined if the form is not cached. */
function keyOf(schema: unknown): string | undefined {
  const weight = measure(schema, MAX_VALUES);
  if (!weight || weight.characters > MAX_CHARACTERS) return undefined;
  // Not JSON.stringify, which writes a number beyond the range of doubles as null.
  const text = canonicalText(schema);
  // A short pattern may compile to a state machine of megabytes.
  return text.includes('"pattern') ? undefined : text;
}

import { canonicalText } from '../base/canonical.js';
import { Recent } from '../base/recent.js';
import { compileUntrustedSchema, type UntrustedSchema } from './untrusted-schema.js';
import { weigh } from './weight.js';

/** Of what is kept. Larger forms are rare. */
const MAX_VALUES = 100;
const MAX_CHARACTERS = 2048;
const MAX_COUNT = 100;

/** A form says with `format` what the user must enter. */
const CHECKS = { checkFormats: true };

const recent = new Recent<UntrustedSchema>(MAX_COUNT);

/**
 * Prepares the schema of a form. Servers ask the same again and again, and to read a schema takes longer than the rest
 * of a question. Throws `SchemaRefused` as `compileUntrustedSchema` does.
 */
export async function compileUntrustedForm(schema: unknown): Promise<UntrustedSchema> {
  const text = keyOf(schema);
  if (text === undefined) return compileUntrustedSchema(schema, CHECKS);
  const compiled = recent.get(text) ?? (await compileUntrustedSchema(schema, CHECKS));
  recent.set(text, compiled);
  return compiled;
}

/** The text under which a form is kept; undefined if it is not worth it. */
function keyOf(schema: unknown): string | undefined {
  const weight = weigh(schema, MAX_VALUES);
  if (!weight || weight.characters > MAX_CHARACTERS) return undefined;
  // Not as JSON, in which a number that is too large has the same text as null.
  const text = canonicalText(schema);
  // Few characters of a pattern may be megabytes of a machine that tests it.
  return text.includes('"pattern') ? undefined : text;
}

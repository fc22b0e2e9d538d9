import { Recent } from '../protocol/recent.js';
import { compileUntrustedSchema, type UntrustedSchema } from './untrusted-schema.js';
import { weigh } from './weight.js';

/** Of what is kept. Larger forms are rare. */
const MAX_VALUES = 200;
const MAX_CHARACTERS = 4096;
const MAX_COUNT = 100;

const recent = new Recent<UntrustedSchema>(MAX_COUNT);

/**
 * Prepares the schema of a form. Servers ask the same again and again, and to read a schema takes longer than the rest
 * of a question. Throws `SchemaRefused` as `compileUntrustedSchema` does.
 */
export async function compileUntrustedForm(schema: unknown): Promise<UntrustedSchema> {
  const weight = weigh(schema, MAX_VALUES);
  if (!weight || weight.characters > MAX_CHARACTERS) return compileUntrustedSchema(schema);
  const text = JSON.stringify(schema);
  const known = recent.get(text);
  if (known) return known;
  const compiled = await compileUntrustedSchema(schema);
  recent.set(text, compiled);
  return compiled;
}

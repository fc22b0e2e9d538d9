import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { Checked } from './schema.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Compiles a JSON Schema of dialect 2020-12 into a check. Never fetches a `$ref`: one that cannot be
 * resolved inside the schema is an error.
 */
export async function compileJsonSchema(schema: JsonObject): Promise<(value: unknown) => Checked> {
  const { $schema } = schema;
  if ($schema !== undefined && $schema !== DIALECT && $schema !== `${DIALECT}#`) {
    throw new UsageError(`JSON Schema dialect ${String($schema)} is not supported; use ${DIALECT}`);
  }
  return canGenerateCode() ? compileToCode(schema) : interpret(schema);
}

function compileToCode(schema: JsonObject): (value: unknown) => Checked {
  // An instance per schema: two tools may use the same $id for different things.
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: false, logger: false });
  const validate = ajv.compile(schema);
  return value => (validate(value) ? { value } : { problem: describe(validate.errors?.[0]) });
}

/** For runtimes that forbid code generation. */
async function interpret(schema: JsonObject): Promise<(value: unknown) => Checked> {
  const { Validator } = await import('@cfworker/json-schema');
  const validator = new Validator(schema, '2020-12');
  return value => {
    const { valid, errors } = validator.validate(value);
    const last = errors.at(-1);
    return valid ? { value } : { problem: last ? `${last.instanceLocation}: ${last.error}` : 'does not fit' };
  };
}

function describe(error: ErrorObject | undefined): string {
  if (!error) return 'does not fit the schema';
  const place = error.instancePath.slice(1).replaceAll('/', '.');
  return place ? `${place} ${error.message}` : (error.message ?? 'does not fit the schema');
}

function canGenerateCode(): boolean {
  try {
    return new Function('return true')();
  } catch {
    return false;
  }
}

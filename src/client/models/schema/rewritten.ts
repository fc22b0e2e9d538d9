import { isObject, type JsonObject } from '../../../base/json.js';

/** A schema that a vendor accepts, and the way back from its values to those of the tool's own schema. */
export interface Rewritten {
  schema: JsonObject;
  /** Turns a value that the model sent into the value that the tool takes. */
  restore: (value: unknown) => unknown;
  /** Whether a value has the shape of the schema; it decides between alternatives. */
  fits: (value: unknown) => boolean;
  /** Whether null may be among the values, for a schema that does not show it: a reference. */
  acceptsNull?: boolean;
}

/** Stands for an argument that the model left out. */
export const OMITTED = Symbol('omitted');

/** A value that the model writes as JSON text, because the vendor has no schema for it. */
export function asText(description: string | undefined, note: string): Rewritten {
  return {
    schema: { type: 'string', description: description ? `${description}\n${note}` : note },
    restore: parseText,
    fits: value => typeof value === 'string',
  };
}

/** Models sometimes send the value itself, or a text without quotes; the server checks what comes of it. */
function parseText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** An object with any keys as a list of entries, for vendors that demand to know every property. */
export function asEntries(description: string | undefined, member: Rewritten): Rewritten {
  const entry = strictObject({ key: { type: 'string' }, value: member.schema });
  return {
    schema: {
      type: 'array',
      description: `${description ? `${description}\n` : ''}An object as a list of entries; every key occurs once.`,
      items: entry,
    },
    restore: value => {
      if (!Array.isArray(value) || !value.every(isEntry)) return value;
      return Object.fromEntries(value.map(entry => [entry.key, member.restore(entry.value)]));
    },
    fits: value => Array.isArray(value) && value.every(item => isEntry(item) && member.fits(item.value)),
  };
}

function isEntry(value: unknown): value is { key: string; value: unknown } {
  return (
    isObject(value) && typeof value.key === 'string' && Object.keys(value).length === 2 && 'value' in value
  );
}

/** One of several schemas. A value is restored by the first one that it fits. */
export function asUnion(members: readonly Rewritten[]): Rewritten {
  const schemas = members.flatMap(({ schema }) =>
    Object.keys(schema).join() === 'anyOf' ? (schema.anyOf as JsonObject[]) : [schema],
  );
  return {
    schema: { anyOf: schemas },
    restore: value => {
      const member = members.find(({ fits }) => fits(value));
      return member ? member.restore(value) : value;
    },
    fits: value => members.some(({ fits }) => fits(value)),
  };
}

/** A property that may be left out, for vendors that demand every property: null stands for its absence. */
export function asOptional(member: Rewritten): Rewritten {
  return (member.acceptsNull ?? mayBeNull(member.schema)) ? asWrapped(member) : asNullable(member);
}

function asNullable({ schema, restore, fits }: Rewritten): Rewritten {
  const { description, ...rest } = schema;
  const isScalar = typeof schema.type === 'string' && schema.enum === undefined;
  const nullable = isScalar
    ? { ...rest, type: [schema.type, 'null'] }
    : { anyOf: [...(Array.isArray(rest.anyOf) ? rest.anyOf : [rest]), { type: 'null' }] };
  return {
    schema: description === undefined ? nullable : { ...nullable, description },
    restore: value => (value === null ? OMITTED : restore(value)),
    fits: value => value === null || fits(value),
  };
}

/** Null is a value of its own here, so another value has to stand for the absence. */
function asWrapped({ schema, restore, fits }: Rewritten): Rewritten {
  const { description, ...rest } = schema;
  const note = 'null leaves it out; {"value": …} sends a value, which may be null.';
  const isWrapper = (value: unknown): value is { value: unknown } => isObject(value) && 'value' in value;
  return {
    schema: {
      anyOf: [strictObject({ value: rest }), { type: 'null' }],
      description: description ? `${description}\n${note}` : note,
    },
    restore: value => {
      if (value === null) return OMITTED;
      return isWrapper(value) ? restore(value.value) : value;
    },
    fits: value => value === null || (isWrapper(value) && fits(value.value)),
  };
}

/** Whether a schema may accept null. Of a reference it is assumed. */
function mayBeNull(schema: JsonObject): boolean {
  if (schema.$ref !== undefined) return true;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(mayBeNull);
  return [schema.type].flat().includes('null');
}

function strictObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

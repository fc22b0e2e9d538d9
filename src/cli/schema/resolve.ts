import type { JsonSchema } from 'tenon/protocol';
import { isObject } from '../is-object.js';

/** How many references may lead to each other. A schema that recurses is followed no further than it is used. */
const MAX_STEPS = 20;

/**
 * A schema with its reference replaced by what it refers to, in the same document. Where a value may also be null, the
 * rest remains; other unions stay as they are.
 */
export function resolveSchema(schema: unknown, root: JsonSchema): JsonSchema {
  let resolved = asSchema(schema);
  for (let step = 0; step < MAX_STEPS; step++) {
    const { $ref, ...beside } = resolved;
    const [only, ...others] = alternatives(resolved);
    if (typeof $ref === 'string') resolved = { ...findPointer($ref, root), ...beside };
    else if (only && others.length === 0) resolved = { ...asSchema(only), ...without(resolved) };
    else return resolved;
  }
  return {};
}

/** What a value may be instead of null. */
export function alternatives({ anyOf, oneOf }: JsonSchema): unknown[] {
  const list = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return list.filter(one => asSchema(one).type !== 'null');
}

/** The types that a schema allows; none if it does not say. */
export function typesOf({ type }: JsonSchema): string[] {
  return (Array.isArray(type) ? type : [type]).filter(one => typeof one === 'string');
}

/** The properties of an object, in the order in which they are written. */
export function propertiesOf({ properties }: JsonSchema): Map<string, unknown> {
  return new Map(isObject(properties) ? Object.entries(properties) : []);
}

export function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
}

function asSchema(schema: unknown): JsonSchema {
  return isObject(schema) ? schema : {};
}

function without({ anyOf: _any, oneOf: _one, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** Follows a JSON pointer, such as `#/$defs/dish`. */
function findPointer(ref: string, root: JsonSchema): JsonSchema {
  if (!ref.startsWith('#')) return {};
  let value: unknown = root;
  for (const part of decodeURIComponent(ref).split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value =
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : {};
  }
  return asSchema(value);
}

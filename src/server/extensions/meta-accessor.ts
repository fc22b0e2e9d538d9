import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { mayAttachUnder } from '../../protocol/meta-key.js';
import { compileSchema, type Infer, type InferInput, type Schema } from '../schema/schema.js';

/** Reads and writes one key of `_meta`, typed. */
export interface MetaAccessor<In, Out> {
  readonly key: string;
  /** The checked value in a `_meta`; undefined if it is missing or does not fit. */
  read(meta: JsonObject | undefined): Awaitable<Out | undefined>;
  /** A copy of an object, such as a result or parameters, with the value in its `_meta`. */
  write<T extends object>(object: T, value: In): T & { _meta: JsonObject };
}

/**
 * A key of `_meta` that belongs to an extension, with the schema of its value.
 *
 * @example
 * const label = metaAccessor('com.example/label', z.string());
 * const asked = await label.read(ctx.meta);
 * return label.write({ books }, 'fiction');
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta
 */
export function metaAccessor<const S extends Schema>(
  key: string,
  schema: S,
): MetaAccessor<InferInput<S>, Infer<S>> {
  if (!mayAttachUnder('second-label', key) || !key.includes('/')) {
    throw new UsageError(`"${key}" cannot be a key of an extension in _meta: use one like com.example/label`);
  }
  const compiled = compileSchema(schema, `the value of "${key}" in _meta`, 'input', (error, where) => {
    throw new UsageError(`${where} cannot be checked`, { cause: error });
  });
  return {
    key,
    async read(meta) {
      if (!isObject(meta) || !Object.hasOwn(meta, key)) return undefined;
      const checked = await compiled.check(meta[key]);
      return 'value' in checked ? (checked.value as Infer<S>) : undefined;
    },
    write(object, value) {
      const { _meta } = object as { _meta?: unknown };
      return { ...object, _meta: { ...(isObject(_meta) ? _meta : {}), [key]: value } };
    },
  };
}

/**
 * The TypeScript type of a JSON Schema written as a literal.
 *
 * Covers the keywords that are usual for arguments and results: types, properties, required, items, tuples, enum,
 * const, anyOf, oneOf and allOf. Anything else is `unknown`, never `any`.
 *
 * @example
 * type Args = FromJsonSchema<{ type: 'object'; properties: { n: { type: 'integer' } }; required: ['n'] }>;
 * // { n: number }
 */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : FromShape<S> & FromChoice<S> & FromAll<S>;

// A part that a schema does not have is `unknown`, which disappears in an intersection.
type FromShape<S> = S extends { readonly type: readonly (infer T)[] }
  ? FromType<T, S>
  : S extends { readonly type: infer T }
    ? FromType<T, S>
    : S extends { readonly properties: object }
      ? FromType<'object', S>
      : unknown;

type FromChoice<S> = S extends { readonly anyOf: readonly (infer U)[] }
  ? FromJsonSchema<U>
  : S extends { readonly oneOf: readonly (infer U)[] }
    ? FromJsonSchema<U>
    : unknown;

type FromAll<S> = S extends { readonly allOf: readonly [infer First, ...infer Rest] }
  ? FromJsonSchema<First> & FromAll<{ allOf: Rest }>
  : unknown;

type FromType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? FromArray<S>
          : T extends 'object'
            ? FromObject<S>
            : unknown;

type FromArray<S> = S extends { readonly prefixItems: infer P extends readonly unknown[] }
  ? { -readonly [I in keyof P]: FromJsonSchema<P[I]> }
  : S extends { readonly items: infer I }
    ? FromJsonSchema<I>[]
    : unknown[];

type FromObject<S> = S extends { readonly properties: infer P }
  ? Flat<
      { -readonly [K in keyof P as K extends Required<S> ? K : never]: FromJsonSchema<P[K]> } & {
        -readonly [K in keyof P as K extends Required<S> ? never : K]?: FromJsonSchema<P[K]>;
      }
    >
  : S extends { readonly additionalProperties: infer A extends object }
    ? Record<string, FromJsonSchema<A>>
    : // The properties of a choice are more specific.
      S extends { readonly anyOf: unknown } | { readonly oneOf: unknown } | { readonly allOf: unknown }
      ? unknown
      : Record<string, unknown>;

type Required<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type Flat<T> = { [K in keyof T]: T[K] };

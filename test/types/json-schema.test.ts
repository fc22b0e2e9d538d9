import { describe, expectTypeOf, it } from 'vitest';
import type { Infer } from '../../src/server/index.js';

// These tests fail in the compiler: `npm run typecheck`.

describe('the type of a JSON Schema literal', () => {
  it('follows its type', () => {
    expectTypeOf<Infer<{ type: 'string' }>>().toEqualTypeOf<string>();
    expectTypeOf<Infer<{ type: 'number' }>>().toEqualTypeOf<number>();
    expectTypeOf<Infer<{ type: 'integer' }>>().toEqualTypeOf<number>();
    expectTypeOf<Infer<{ type: 'boolean' }>>().toEqualTypeOf<boolean>();
    expectTypeOf<Infer<{ type: 'null' }>>().toEqualTypeOf<null>();
    expectTypeOf<Infer<{ type: 'array' }>>().toEqualTypeOf<unknown[]>();
    expectTypeOf<Infer<{ type: 'object' }>>().toEqualTypeOf<Record<string, unknown>>();
  });

  it('is a union where the type is a list', () => {
    expectTypeOf<Infer<{ type: ['string', 'null'] }>>().toEqualTypeOf<string | null>();
    expectTypeOf<Infer<{ type: readonly ['integer', 'boolean'] }>>().toEqualTypeOf<number | boolean>();
    type Nullable = { type: ['object', 'null']; properties: { a: { type: 'string' } }; required: ['a'] };
    expectTypeOf<Infer<Nullable>>().toEqualTypeOf<{ a: string } | null>();
  });

  it('has optional and required properties', () => {
    type Schema = {
      type: 'object';
      properties: { a: { type: 'string' }; b: { type: 'number' } };
      required: ['a'];
    };
    expectTypeOf<Infer<Schema>>().toEqualTypeOf<{ a: string; b?: number }>();
    expectTypeOf<Infer<Omit<Schema, 'required'>>>().toEqualTypeOf<{ a?: string; b?: number }>();
    expectTypeOf<Infer<Omit<Schema, 'type'>>>().toEqualTypeOf<{ a: string; b?: number }>();
  });

  it('goes into objects, lists and tuples', () => {
    type Schema = {
      type: 'object';
      properties: {
        party: {
          type: 'object';
          properties: { names: { type: 'array'; items: { type: 'string' } } };
          required: ['names'];
        };
        table: { type: 'array'; prefixItems: [{ type: 'string' }, { type: 'integer' }] };
        prices: { type: 'object'; additionalProperties: { type: 'number' } };
      };
      required: ['party', 'table', 'prices'];
    };
    expectTypeOf<Infer<Schema>>().toEqualTypeOf<{
      party: { names: string[] };
      table: [string, number];
      prices: Record<string, number>;
    }>();
  });

  it('knows enum and const', () => {
    expectTypeOf<Infer<{ enum: ['soup', 'pie', 3, null] }>>().toEqualTypeOf<'soup' | 'pie' | 3 | null>();
    expectTypeOf<Infer<{ type: 'string'; enum: readonly ['a', 'b'] }>>().toEqualTypeOf<'a' | 'b'>();
    expectTypeOf<Infer<{ const: 'soup' }>>().toEqualTypeOf<'soup'>();
  });

  it('knows anyOf, oneOf and allOf', () => {
    type Text = { type: 'string' };
    type Count = { type: 'integer' };
    expectTypeOf<Infer<{ anyOf: [Text, Count] }>>().toEqualTypeOf<string | number>();
    expectTypeOf<Infer<{ oneOf: readonly [Text, { type: 'null' }] }>>().toEqualTypeOf<string | null>();
    type A = { type: 'object'; properties: { a: Text }; required: ['a'] };
    type B = { type: 'object'; properties: { b: Count } };
    expectTypeOf<Infer<{ allOf: [A, B] }>>().toExtend<{ a: string; b?: number }>();
  });

  it('is unknown, never any, where it is not understood', () => {
    type Ref = Infer<{ $ref: '#/$defs/x' }>;
    expectTypeOf<Ref>().toBeUnknown();
    expectTypeOf<Infer<{ type: 'file' }>>().toBeUnknown();
    type Schema = {
      type: 'object';
      properties: { a: { $ref: '#' }; b: { type: 'array' } };
      required: ['a', 'b'];
    };
    expectTypeOf<Infer<Schema>['a']>().toBeUnknown();
    expectTypeOf<Infer<Schema>['b'][number]>().toBeUnknown();
    expectTypeOf<Infer<Schema>>().not.toBeAny();
  });

  it('keeps the properties beside a choice', () => {
    type Properties = { a: { type: 'string' }; b: { type: 'string' } };
    type EitherOne = {
      type: 'object';
      properties: Properties;
      anyOf: [{ required: ['a'] }, { required: ['b'] }];
    };
    expectTypeOf<Infer<EitherOne>>().toEqualTypeOf<{ a?: string; b?: string }>();
    type Text = { type: 'string'; oneOf: [{ minLength: 1 }, { maxLength: 3 }] };
    expectTypeOf<Infer<Text>>().toEqualTypeOf<string>();
  });

  it('is a union of objects that can be told apart', () => {
    type Circle = {
      properties: { kind: { const: 'circle' }; radius: { type: 'number' } };
      required: ['kind', 'radius'];
    };
    type Square = {
      properties: { kind: { const: 'square' }; side: { type: 'number' } };
      required: ['kind', 'side'];
    };
    type Expected = { kind: 'circle'; radius: number } | { kind: 'square'; side: number };
    expectTypeOf<Infer<{ type: 'object'; oneOf: [Circle, Square] }>>().toEqualTypeOf<Expected>();
    expectTypeOf<Infer<{ anyOf: [Circle, Square] }>>().toEqualTypeOf<Expected>();
  });
});

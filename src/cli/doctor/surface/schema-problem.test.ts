import { expect, it } from 'vitest';
import { schemaProblem } from './schema-problem.js';

it.each([
  [
    { type: 'object', properties: { size: { type: 'strnig' } } },
    'an unknown type "strnig" at #/properties/size/type',
  ],
  [{ type: 'object', required: 'name' }, 'a list of names at #/required'],
  [{ properties: ['name'] }, 'an object at #/properties'],
  [{ anyOf: [] }, 'a list of schemas at #/anyOf'],
  [{ items: 'string' }, 'an object or a boolean at #/items'],
  [{ properties: { 'a/b': { pattern: '(' } } }, 'an invalid pattern at #/properties/a~1b/pattern'],
  [{ properties: { dish: { $ref: '#/$defs/dish' } } }, 'refers to #/$defs/dish, which does not exist'],
  [{ $ref: '#' }, 'a reference that leads in a circle at #/$ref: # → #'],
  [
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, type: 'object' },
    'a reference that leads in a circle at #/$defs/a/$ref: #/$defs/b → #/$defs/a → #/$defs/b',
  ],
  [{ minLength: -1 }, 'a natural number at #/minLength'],
  ['object', 'an object or a boolean at #'],
  [null, 'an object or a boolean at #'],
])('finds the fault in %j', (schema, problem) => {
  expect(schemaProblem(schema)).toContain(problem);
});

it.each([
  true,
  {},
  { type: ['string', 'null'], enum: ['a', null], default: 'a', format: 'date', 'x-mcp-header': 'Day' },
  {
    type: 'object',
    properties: { type: { type: 'string' }, required: { type: 'boolean' } },
    required: ['type'],
  },
  { properties: { next: { $ref: '#' } } },
  { $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'string' } }, $ref: '#/$defs/a' },
  { $defs: { tree: { properties: { left: { $ref: '#/$defs/tree' } } } }, $ref: '#/$defs/tree' },
  { items: [{ type: 'string' }], additionalProperties: false, if: {}, else: false },
  { pattern: '^[\\w-.]+$' },
  { $ref: 'https://example.com/schema.json' },
])('finds nothing wrong with %j', schema => {
  expect(schemaProblem(schema)).toBeUndefined();
});

it('finds the fault in a schema that is nested without end', () => {
  const schema: { not?: unknown } = {};
  schema.not = schema;
  expect(schemaProblem(schema)).toContain('nested too deeply');
});

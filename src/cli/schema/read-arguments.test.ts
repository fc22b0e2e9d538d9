import { describe, expect, it } from 'vitest';
import { readArguments } from './read-arguments.js';

const SCHEMA = {
  type: 'object',
  $defs: {
    wine: { type: 'object', properties: { colour: { enum: ['red', 'white'] }, years: { type: 'integer' } } },
  },
  properties: {
    name: { type: 'string' },
    guests: { type: 'integer' },
    price: { type: ['number', 'null'] },
    outside: { type: 'boolean' },
    dishes: { type: 'array', items: { type: 'string' } },
    seats: { type: 'array', items: { type: 'integer' } },
    wine: { $ref: '#/$defs/wine' },
    table_id: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    level: { enum: [1, 2, 'high'] },
    anything: {},
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    __proto__x: { type: 'string' },
  },
  additionalProperties: false,
};

const read = (...words: string[]) => readArguments(words, [], SCHEMA);

describe('arguments on the command line', () => {
  it.each([
    [['--name', '42'], { name: '42' }],
    [['--guests', '42'], { guests: 42 }],
    [['--guests=-3'], { guests: -3 }],
    [['--price', '2.5'], { price: 2.5 }],
    [['--price', 'null'], { price: null }],
    [['--outside'], { outside: true }],
    [['--outside', '--guests', '2'], { outside: true, guests: 2 }],
    [['--outside', 'no'], { outside: false }],
    [['--no-outside'], { outside: false }],
    [['--dishes', 'soup', '--dishes', 'quiche'], { dishes: ['soup', 'quiche'] }],
    [['--dishes', '["soup", "quiche"]'], { dishes: ['soup', 'quiche'] }],
    [['--seats', '1', '--seats', '2'], { seats: [1, 2] }],
    [['--wine', '{"colour":"red"}'], { wine: { colour: 'red' } }],
    [['--wine.colour', 'red', '--wine.years', '3'], { wine: { colour: 'red', years: 3 } }],
    [['--table-id', 'window'], { table_id: 'window' }],
    [['--level', '2'], { level: 2 }],
    [['--level', 'high'], { level: 'high' }],
    [['--anything', '[1]'], { anything: [1] }],
    [['--anything', 'text'], { anything: 'text' }],
    [['--either', '7'], { either: 7 }],
    [['--either', 'seven'], { either: 'seven' }],
    [['--name', '--'], { name: '--' }],
  ])('%j are read by their schema', (words, expected) => {
    expect(read(...words)).toEqual(expected);
  });

  it.each([
    [['--gests', '2'], 'there is no argument --gests', 'Did you mean --guests?'],
    [['--wine.color', 'red'], 'there is no argument --wine.color', 'Did you mean --wine.colour?'],
    [['--guests', '2.5'], '--guests takes an integer, not "2.5"', 'Write a number.'],
    [['--wine.colour', 'rose'], '--wine.colour cannot be "rose"', 'Choose one of: red, white'],
    [['--seats', 'one'], '--seats takes an integer, not "one"', 'Write a number.'],
    [['--name'], '--name needs a value', 'Write it as --name VALUE.'],
    [['--wine', 'red'], '--wine takes an object, not "red"', 'members one by one'],
    [['--wine', '{}', '--wine', '7'], '--wine takes an object, not "7"', 'members one by one'],
  ])('%j are refused, with what to do', (words, message, next) => {
    let refusal: unknown;
    try {
      read(...words);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ message, next: expect.stringContaining(next), exitCode: 2 });
  });

  it('take any name where the schema has no properties', () => {
    expect(readArguments(['--a.b', '1', '--__proto__', '2'], [], { type: 'object' })).toEqual(
      JSON.parse('{"a":{"b":1},"__proto__":2}'),
    );
  });

  it('may be pairs, for names that options have', () => {
    expect(readArguments([], ['timeout=5=6'], { properties: { timeout: { type: 'string' } } })).toEqual({
      timeout: '5=6',
    });
  });
});

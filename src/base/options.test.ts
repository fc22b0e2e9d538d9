import { describe, expect, it } from 'vitest';
import { UsageError } from './errors.js';
import { checkOptions } from './options.js';

const KNOWN = { title: 1, description: 1, input: 1, output: 1, pageSize: 1, port: 1 } as const;

describe('options', () => {
  it('may have any of the names that are known', () => {
    checkOptions({}, KNOWN, 'a tool');
    checkOptions({ title: undefined, port: 1 }, KNOWN, 'a tool');
  });

  it.each([
    ['Title', 'title'],
    ['titel', 'title'],
    ['descripton', 'description'],
    ['desciption', 'description'],
    ['desc', 'description'],
    ['inputSchema', 'input'],
    ['ouput', 'output'],
    ['pagesize', 'pageSize'],
    ['prot', 'port'],
  ])('that have %s were meant to have %s', (written, meant) => {
    expect(() => checkOptions({ [written]: 1 }, KNOWN, 'a tool')).toThrow(
      new UsageError(`a tool has no option "${written}"; did you mean "${meant}"?`),
    );
  });

  it.each(['constructor', '__proto__x', 'zzz', 'x', ''])(
    'that have %j, like no other, are told all',
    name => {
      expect(() => checkOptions({ [name]: 1 }, KNOWN, 'a tool')).toThrow(
        `a tool has no option "${name}"; it has title, description, input, output, pageSize, port`,
      );
    },
  );

  it.each([null, 'title', [], () => {}])('are not %s', value => {
    expect(() => checkOptions(value, KNOWN, 'a tool')).toThrow('the options of a tool must be an object');
  });
});

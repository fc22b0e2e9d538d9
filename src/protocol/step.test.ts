import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../base/errors.js';
import { toStepResult } from './step.js';

describe('the result of a step', () => {
  it('is given out as JSON carries it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(toStepResult('s', value)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(Object.keys(toStepResult('s', { kept: null, left: undefined }))).toEqual(['kept']);
  });

  it('may be nothing', () => {
    expect(toStepResult('s', undefined)).toBeUndefined();
  });

  it('shares nothing with what the step returned', () => {
    const returned = { list: [1] };
    toStepResult('s', returned).list.push(2);
    expect(returned).toEqual({ list: [1] });
  });

  it('must be something that JSON can carry', () => {
    expect(() => toStepResult('hold', { at: new Date() })).toThrow(
      new UsageError('step "hold" must return what JSON can carry, but the result.at is a Date'),
    );
  });
});

import type { Keyword } from '../keyword.js';
import { problem } from '../problem.js';

export const NUMBERS = {
  minimum: bound('at least', (value, limit) => value >= limit),
  exclusiveMinimum: bound('more than', (value, limit) => value > limit),
  maximum: bound('at most', (value, limit) => value <= limit),
  exclusiveMaximum: bound('less than', (value, limit) => value < limit),

  multipleOf(at) {
    const divisor = at.number();
    if (divisor <= 0) throw at.refuse('must be more than 0');
    const text = `must be a multiple of ${divisor}`;
    return (value, { budget }) => {
      if (typeof value !== 'number') return undefined;
      if (Number.isInteger(value) && Number.isInteger(divisor)) {
        return value % divisor === 0 ? undefined : problem(text);
      }
      budget.spend(400);
      return isMultiple(value, divisor) ? undefined : problem(text);
    };
  },
} satisfies Record<string, Keyword>;

function bound(relation: string, fits: (value: number, limit: number) => boolean): Keyword {
  return at => {
    const limit = at.number();
    const text = `must be ${relation} ${limit}`;
    return value => (typeof value !== 'number' || fits(value, limit) ? undefined : problem(text));
  };
}

/** Calculates in decimal, as the numbers are written: in binary 0.3 is not a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = decimal(value);
  const [otherDigits, otherExponent] = decimal(divisor);
  const shift = exponent - otherExponent;
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % otherDigits === 0n
    : digits % (otherDigits * 10n ** BigInt(-shift)) === 0n;
}

/** A number as whole digits and a power of ten. */
function decimal(number: number): readonly [digits: bigint, exponent: number] {
  const [mantissa = '', exponent] = number.toExponential().split('e');
  const [whole, fraction = ''] = mantissa.split('.');
  return [BigInt(`${whole}${fraction}`), Number(exponent) - fraction.length];
}

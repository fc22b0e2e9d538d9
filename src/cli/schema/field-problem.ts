import type { JsonSchema } from 'tenon/protocol';

/** Why what the user typed does not fit a field; undefined if it does. The client checks the whole answer once more. */
export function textProblem(text: string, schema: JsonSchema): string | undefined {
  const { minLength, maxLength, pattern, format } = schema;
  const { length } = [...text];
  if (typeof minLength === 'number' && length < minLength) return `at least ${minLength} characters, please`;
  if (typeof maxLength === 'number' && length > maxLength) return `at most ${maxLength} characters, please`;
  if (typeof pattern === 'string' && isHarmless(pattern) && !fits(text, pattern))
    return `it has to match ${pattern}`;
  const check = typeof format === 'string' ? FORMATS[format] : undefined;
  return check && !check.test(text)
    ? `this is no ${format}; such as ${EXAMPLES[format as string]}`
    : undefined;
}

/** A text for a field, to show how an answer is written. */
export function exampleOf({ format, minLength }: JsonSchema): string {
  const example = (typeof format === 'string' ? EXAMPLES[format] : undefined) ?? 'text';
  return typeof minLength === 'number' ? example.padEnd(Math.min(minLength, 100), '.') : example;
}

export function numberProblem(text: string, schema: JsonSchema): string | undefined {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return 'a number, please';
  if (type === 'integer' && !Number.isInteger(value)) return 'a whole number, please';
  if (typeof minimum === 'number' && value < minimum) return `at least ${minimum}, please`;
  if (typeof maximum === 'number' && value > maximum) return `at most ${maximum}, please`;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum)
    return `more than ${exclusiveMinimum}, please`;
  if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum)
    return `less than ${exclusiveMaximum}, please`;
  const isMultiple =
    typeof multipleOf !== 'number' || Number.isInteger(Number((value / multipleOf).toFixed(9)));
  return isMultiple ? undefined : `a multiple of ${multipleOf}, please`;
}

export function countProblem(count: number, { minItems, maxItems }: JsonSchema): string | undefined {
  if (typeof minItems === 'number' && count < minItems) return `choose at least ${minItems}`;
  if (typeof maxItems === 'number' && count > maxItems) return `choose at most ${maxItems}`;
  return undefined;
}

const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i,
};

const EXAMPLES: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  uri: 'https://example.com',
  date: '1999-12-31',
  'date-time': '1999-12-31T18:30:00Z',
};

/** Whether a pattern of a server can be tried here: one that repeats a repetition could take forever. */
function isHarmless(pattern: string): boolean {
  return pattern.length <= 200 && !/\)[*+?{]|\\\d/.test(pattern);
}

/** A pattern that this engine cannot read is left to the client's own check. */
function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

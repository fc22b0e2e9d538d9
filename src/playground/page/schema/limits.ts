import { kindOf } from './kind.js';
import { numberOf, type Schema, textOf } from './schema.js';

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an email address',
  uri: 'a URL',
  date: 'a date',
  'date-time': 'a date and time',
  time: 'a time',
  uuid: 'a UUID',
};

interface Unit {
  readonly one: string;
  readonly many: string;
}

const ENTRIES: Unit = { one: 'entry', many: 'entries' };
const CHARACTERS: Unit = { one: 'character', many: 'characters' };

/** What a schema asks of a value, in a few words: what a user has to know before filling in the field. */
export function limitsOf(schema: Schema): string[] {
  switch (kindOf(schema)) {
    case 'text':
      return textLimits(schema);
    case 'number':
      return numberLimits(schema);
    case 'list':
    case 'choices':
      return [
        ...range(numberOf(schema, 'minItems'), numberOf(schema, 'maxItems'), ENTRIES),
        ...(schema.uniqueItems === true ? ['all different'] : []),
      ];
    default:
      return [];
  }
}

function textLimits(schema: Schema): string[] {
  const least = numberOf(schema, 'minLength');
  const pattern = textOf(schema, 'pattern');
  const format = FORMATS[textOf(schema, 'format') ?? ''];
  return [
    ...(format === undefined ? [] : [format]),
    ...range(least === 1 ? undefined : least, numberOf(schema, 'maxLength'), CHARACTERS),
    // Libraries add the pattern of a format, which says nothing to people.
    ...(pattern === undefined || format !== undefined ? [] : [`pattern ${pattern}`]),
  ];
}

function numberLimits(schema: Schema): string[] {
  const above = numberOf(schema, 'exclusiveMinimum');
  const below = numberOf(schema, 'exclusiveMaximum');
  const step = numberOf(schema, 'multipleOf');
  return [
    ...(schema.type === 'integer' ? ['whole number'] : []),
    ...range(likely(schema, 'minimum'), likely(schema, 'maximum')),
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...(below === undefined ? [] : [`less than ${below}`]),
    ...(step === undefined ? [] : [`a multiple of ${step}`]),
  ];
}

/** A bound that an author may have set. Libraries write the largest safe integer for “any”. */
function likely(schema: Schema, member: 'minimum' | 'maximum'): number | undefined {
  const bound = numberOf(schema, member);
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
}

function range(least: number | undefined, most: number | undefined, unit?: Unit): string[] {
  const text = rangeText(least, most);
  if (text === undefined) return [];
  return [unit ? `${text} ${(most ?? least) === 1 ? unit.one : unit.many}` : text];
}

function rangeText(least: number | undefined, most: number | undefined): string | undefined {
  if (least === undefined) return most === undefined ? undefined : `at most ${most}`;
  if (most === undefined) return `at least ${least}`;
  return least === most ? `exactly ${least}` : `${least} to ${most}`;
}

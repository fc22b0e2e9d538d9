import { readUrl } from '../parts/safe-link.js';
import { numberOf, type Schema, textOf } from './schema.js';

/** A repetition of a repetition can take for ever, so such patterns are left to the server. */
const COSTLY = /[+*}]\)?[+*{]|\([^)]*[+*][^)]*\)[+*{]/;
const MAX_PATTERN = 500;
const MAX_TEXT = 2000;

const FORMATS: Readonly<Record<string, { test(text: string): boolean; says: string }>> = {
  email: { test: text => /^[^\s@]+@[^\s@]+$/.test(text), says: 'must be an email address' },
  uri: { test: text => readUrl(text) !== undefined, says: 'must be a URL, such as https://example.com' },
  date: {
    test: text => /^\d{4}-\d\d-\d\d$/.test(text),
    says: 'must be a date: year, month and day, as YYYY-MM-DD',
  },
  'date-time': {
    test: text => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)),
    says: 'must be a date and time, such as 2026-12-24T18:30:00Z',
  },
  time: { test: text => /^\d\d:\d\d/.test(text), says: 'must be a time, such as 18:30:00Z' },
  uuid: { test: text => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text), says: 'must be a UUID' },
};

/** Compares a text with the length, pattern and format that its schema asks for. */
export function checkText(text: string, schema: Schema): string | undefined {
  const least = numberOf(schema, 'minLength') ?? 0;
  const most = numberOf(schema, 'maxLength') ?? Number.POSITIVE_INFINITY;
  const { length } = [...text];
  if (length < least) return least === 1 ? 'must not be empty' : `needs at least ${least} characters`;
  if (length > most) return `takes at most ${most} ${most === 1 ? 'character' : 'characters'}`;
  const pattern = textOf(schema, 'pattern');
  if (pattern !== undefined && !matches(text, pattern)) return `must match ${pattern}`;
  const format = FORMATS[textOf(schema, 'format') ?? ''];
  return format && !format.test(text) ? format.says : undefined;
}

function matches(text: string, pattern: string): boolean {
  if (COSTLY.test(pattern) || pattern.length > MAX_PATTERN || text.length > MAX_TEXT) return true;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

import { parseUrl } from '../base/url.js';

interface Format {
  /** The format in words, for the problem: "must be …". */
  readonly called: string;
  test(text: string): boolean;
}

const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const URI = /^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]*$/i;
/** Words with dots between them, or any text in quotes. Letters of every script are allowed. */
const LOCAL = /^([^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)*|"([^"\\]|\\.)*")$/;
const LABEL = /^[\p{L}\p{N}]([\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;
const ADDRESS = /^\[[\da-z.:]+\]$/i;
const MAX_EMAIL = 320;

/** The formats that the fields of a form may have. */
export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['email', { called: 'an email address', test: isEmail }],
  ['uri', { called: 'a URI with a scheme, such as https://example.com', test: isUri }],
  ['date', { called: 'a date, as in YYYY-MM-DD', test: isDate }],
  ['date-time', { called: 'a date and time, as in YYYY-MM-DDThh:mm:ssZ', test: isDateTime }],
]);

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (text.length > MAX_EMAIL || at < 0) return false;
  const domain = text.slice(at + 1);
  return (
    LOCAL.test(text.slice(0, at)) &&
    (ADDRESS.test(domain) || domain.split('.').every(label => LABEL.test(label)))
  );
}

function isUri(text: string): boolean {
  return URI.test(text) && parseUrl(text) !== undefined;
}

function isDate(text: string): boolean {
  // Some runtimes parse February 30 as March 2.
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /[t ]/i.test(text.charAt(10)) && TIME.test(text.slice(11));
}

import { isObject } from '../base/json.js';

/** Why the annotations of content are wrong; undefined if they are right, or if there are none. */
export function annotationsProblem(annotations: unknown): string | undefined {
  if (annotations === undefined) return undefined;
  if (!isObject(annotations)) return 'whose annotations are not an object';
  const { audience = [], priority = 0, lastModified } = annotations;
  if (!(typeof priority === 'number' && priority >= 0 && priority <= 1))
    return 'whose priority is not a number from 0 to 1';
  if (!Array.isArray(audience) || !audience.every(role => role === 'user' || role === 'assistant'))
    return 'whose audience is not a list of "user" and "assistant"';
  return lastModified === undefined || isInstant(lastModified)
    ? undefined
    : 'whose lastModified is not a time such as 2025-01-12T15:00:58Z';
}

/** Whether a value is a date, or an instant, of ISO 8601. */
function isInstant(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d(T.+)?$/.test(value)) return false;
  const day = value.slice(0, 10);
  // `Date` takes February 30 for a day in March.
  return !Number.isNaN(Date.parse(value)) && new Date(day).toISOString().startsWith(day);
}

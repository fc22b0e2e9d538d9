import { UsageError } from '../../base/errors.js';
import { parseUrl } from '../../base/url.js';

/** Throws if an option is not an http or https URL. */
export function checkUrl(url: unknown, what: string): void {
  if (typeof url === 'string' && /^https?:$/.test(parseUrl(url)?.protocol ?? '')) return;
  throw new UsageError(`${what} must be an http or https URL, not ${JSON.stringify(url)}`);
}

/** Throws if an option is not a number of milliseconds. */
export function checkMs(ms: unknown, what: string, max = Number.POSITIVE_INFINITY): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= max) return;
  const range = max === Number.POSITIVE_INFINITY ? '0 or more' : `from 0 to ${max}`;
  throw new UsageError(`${what} must be a number of milliseconds, ${range}, not ${String(ms)}`);
}

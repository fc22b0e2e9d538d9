import { UsageError } from '../../base/errors.js';
import { parseUrl } from '../../base/url.js';
import { LOOPBACK_HOST } from './resource.js';

/** Throws if an option is not an https URL. On this machine, http will do. */
export function checkUrl(url: unknown, what: string): void {
  const { protocol, host = '' } = (typeof url === 'string' && parseUrl(url)) || {};
  if (protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOST.test(host))) return;
  throw new UsageError(
    `${what} must be an https URL, or one of this machine that begins with http:, not ${JSON.stringify(url)}`,
  );
}

/** Throws if an option is not a number of milliseconds. */
export function checkMs(ms: unknown, what: string, max = Number.POSITIVE_INFINITY): void {
  if (typeof ms === 'number' && ms >= 0 && ms <= max) return;
  const range = max === Number.POSITIVE_INFINITY ? '0 or more' : `from 0 to ${max}`;
  throw new UsageError(`${what} must be a number of milliseconds, ${range}, not ${String(ms)}`);
}

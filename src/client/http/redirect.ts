import { parseUrl } from '../../base/url.js';
import { HttpError } from '../../protocol/failures.js';
import type { HttpResponse } from './send.js';

/** How many redirects are followed. */
export const MAX_REDIRECTS = 3;

/** Browsers report a redirect that they do not follow with status 0. */
export function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

/** The target of a redirect. Only the same origin may receive the request. */
export function redirectTarget(url: string, response: HttpResponse): string {
  const location = response.header('location');
  const target = location === undefined ? undefined : parseUrl(location, url);
  const keepsMethod = response.status === 307 || response.status === 308;
  if (target && keepsMethod && target.origin === new URL(url).origin) return target.href;
  throw new HttpError(
    response.status,
    '',
    `the server redirects to ${target?.origin ?? 'another place'}, which is not followed; if you trust it, connect to that address`,
  );
}

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The reason to refuse a request to the page, if there is one. */
export interface Refusal {
  status: number;
  reason: string;
}

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/**
 * Refuses requests of other web pages and of other machines. The host must be this machine by name, so that a page whose
 * name was made to point here gets nothing; an origin must be the page's own.
 */
export function refuseForeign({ headers }: IncomingMessage): Refusal | undefined {
  const { host = '', origin } = headers;
  if (!LOOPBACK.test(host)) return { status: 403, reason: 'This page is only served to this machine.' };
  if (origin !== undefined && origin !== `http://${host}`) {
    return { status: 403, reason: 'Other web pages may not use this one.' };
  }
  return undefined;
}

/** Refuses commands without the secret that the page got in its address. */
export function refuseStranger({ headers }: IncomingMessage, secret: string): Refusal | undefined {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${secret}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return undefined;
  return { status: 401, reason: 'Open the page with the whole address that was printed.' };
}

export function refuse(response: ServerResponse, { status, reason }: Refusal): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${reason}\n`);
}

import { isObject } from '../../is-object.js';
import { parseJson } from '../answer.js';
import type { Finding } from '../finding.js';
import { readChallenge } from '../http/challenge.js';
import type { Exchange } from '../http/exchange.js';
import { type HttpSubject, lacksScope } from '../http/subject.js';
import type { Report } from '../report.js';
import { pageOf } from '../spec-page.js';
import type { Resource } from './resource-metadata.js';

const PAGE = pageOf('basic/authorization#token-handling');

/** Compares what a token says about itself with what the server wants. Only JSON Web Tokens say something. */
export function inspectToken(
  token: string,
  { url, demand }: HttpSubject,
  { resource, issuers }: Resource,
  report: Report,
): Finding[] {
  const claims = readClaims(token);
  if (!claims) {
    report.step({ mark: 'info', what: 'token', outcome: 'opaque, so nothing about it can be said' });
    return demand ? [refused(demand, undefined)] : [];
  }
  const { audiences, issuer, expiresAt, scopes } = claims;
  const wanted = resource ?? url.origin + url.pathname;
  const isFor = audiences.some(audience => trim(audience) === trim(wanted));
  const isExpired = expiresAt !== undefined && expiresAt < Date.now();
  const isForeign = issuer !== undefined && issuers.length > 0 && !issuers.includes(issuer);
  report.step({
    mark: isFor ? 'ok' : demand ? 'error' : 'info',
    what: 'token: audience',
    outcome: audiences.join(', ') || 'none',
  });
  if (issuer) report.step({ mark: isForeign ? 'warning' : 'ok', what: 'token: issuer', outcome: issuer });
  if (expiresAt !== undefined) {
    const outcome = new Date(expiresAt).toISOString();
    report.step({ mark: isExpired ? 'error' : 'ok', what: 'token: expires', outcome });
  }
  if (scopes) report.step({ mark: 'info', what: 'token: scopes', outcome: scopes.join(' ') || 'none' });
  // What the server accepts is its own affair; resources may have other names for it.
  if (!demand) return [];
  if (isExpired) return [tokenFinding('the token has expired', 'Get a new one, or sign in with --sign-in.')];
  if (!isFor) return [wrongAudience(audiences, wanted)];
  if (isForeign) {
    return [
      tokenFinding(
        `the token is of ${issuer}, but the server trusts ${issuers.join(', ')}`,
        'Get one there.',
      ),
    ];
  }
  return [refused(demand, scopes)];
}

interface Claims {
  readonly audiences: readonly string[];
  readonly issuer: string | undefined;
  /** In milliseconds. */
  readonly expiresAt: number | undefined;
  /** Undefined if the token does not say which scopes it has. */
  readonly scopes: readonly string[] | undefined;
}

function readClaims(token: string): Claims | undefined {
  const [, payload] = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token) ?? [];
  const claims = payload && parseJson(Buffer.from(payload, 'base64url').toString());
  if (!isObject(claims)) return undefined;
  const { aud, iss, exp, scope } = claims;
  return {
    audiences: [aud].flat().filter(one => typeof one === 'string'),
    issuer: typeof iss === 'string' ? iss : undefined,
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
    scopes: typeof scope === 'string' ? scope.split(' ').filter(Boolean) : undefined,
  };
}

function trim(url: string): string {
  return url.replace(/\/$/, '');
}

function wrongAudience(audiences: readonly string[], wanted: string): Finding {
  return {
    cause: 'audience-mismatch',
    severity: 'error',
    title: `the token is for ${audiences.join(', ') || 'nobody'}, but the server is ${wanted}`,
    page: PAGE,
    todo: `Get a token with the parameter resource=${wanted}; if you did, the authorization server ignores it and has to be configured.`,
  };
}

function refused(demand: Exchange, scopes: readonly string[] | undefined): Finding {
  const { error, description, scope } = readChallenge(demand.headers['www-authenticate']) ?? {};
  if (lacksScope(demand) && scope) return scopeMissing(scope, scopes);
  const reason = description ?? error;
  const title = `the server refuses the token${reason ? `: ${reason}` : ''}`;
  return tokenFinding(title, 'Get a new token for this server, or sign in with --sign-in.');
}

function scopeMissing(needed: string, scopes: readonly string[] | undefined): Finding {
  const missing = scopes ? needed.split(' ').filter(one => !scopes.includes(one)) : [];
  const title =
    missing.length > 0
      ? `the token lacks the scope${missing.length === 1 ? '' : 's'} ${missing.join(' ')}`
      : `the server does not accept the token for the scopes that it requires: ${needed}`;
  return tokenFinding(title, `Get a token with scope=${needed}, or sign in with --sign-in.`);
}

function tokenFinding(title: string, todo: string): Finding {
  return { cause: 'token-refused', severity: 'error', title, page: PAGE, todo };
}

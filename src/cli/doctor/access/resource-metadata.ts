import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../../is-object.js';
import { parseJson } from '../answer.js';
import type { Finding } from '../finding.js';
import { describeExchange } from '../http/exchange.js';
import type { HttpSubject } from '../http/subject.js';
import type { Report } from '../report.js';
import { pageOf } from '../spec-page.js';

const LOCATION = pageOf('basic/authorization/authorization-server-discovery#authorization-server-location');
const MAX_ISSUERS = 3;

/** What the protected resource metadata says. */
export interface Resource {
  /** What tokens must be issued for. */
  readonly resource: string | undefined;
  readonly issuers: readonly string[];
  readonly findings: readonly Finding[];
}

/** Looks for the protected resource metadata: where the server says it is, else at the well-known places. */
export async function inspectResource(
  subject: HttpSubject,
  named: string | undefined,
  report: Report,
): Promise<Resource> {
  const document = await findDocument(subject, named, report);
  if (!document) {
    // A token that is accepted needs no metadata.
    const findings = subject.demand ? [noMetadata(named)] : [];
    return { resource: undefined, issuers: [], findings };
  }
  const { resource, authorization_servers: servers, scopes_supported: scopes } = document;
  const issuers = Array.isArray(servers) ? servers.filter(one => typeof one === 'string') : [];
  if (Array.isArray(scopes)) report.step({ mark: 'info', what: 'scopes', outcome: scopes.join(' ') });
  const isOurs = typeof resource === 'string' && covers(resource, subject.url);
  report.step({
    mark: isOurs ? 'ok' : 'error',
    what: 'resource (the audience of tokens)',
    outcome: String(resource),
  });
  const findings = [
    ...(isOurs ? [] : [wrongResource(resource, subject.url)]),
    ...(issuers.length > 0 ? [] : [noIssuer()]),
  ];
  return {
    resource: typeof resource === 'string' ? resource : undefined,
    issuers: issuers.slice(0, MAX_ISSUERS),
    findings,
  };
}

async function findDocument(
  subject: HttpSubject,
  named: string | undefined,
  report: Report,
): Promise<JsonObject | undefined> {
  const { origin, pathname } = subject.url;
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const places = [...new Set([named, wellKnown + pathname.replace(/\/$/, ''), wellKnown])];
  for (const place of places) {
    if (place === undefined || !/^https?:\/\//i.test(place)) continue;
    const exchange = await subject.send({ method: 'GET', headers: { accept: 'application/json' } }, place);
    const document = exchange.status === 200 ? parseJson(exchange.body) : undefined;
    const isFound = isObject(document) && 'resource' in document;
    const { ms } = exchange;
    const outcome = `${describeExchange(exchange)}  ${place}`;
    report.step({ mark: isFound ? 'ok' : 'info', what: 'resource metadata', outcome, ms });
    if (isFound) return document;
  }
  return undefined;
}

/** Whether a resource is the server at this URL, or contains it. */
function covers(resource: string, url: URL): boolean {
  try {
    const whole = new URL(resource);
    const folder = whole.pathname.replace(/\/$/, '');
    return whole.origin === url.origin && (url.pathname === folder || url.pathname.startsWith(`${folder}/`));
  } catch {
    return false;
  }
}

function noMetadata(named: string | undefined): Finding {
  return {
    cause: 'no-metadata',
    severity: 'error',
    title: 'the server requires a token, but does not say where to get one',
    detail: named
      ? `There is no protected resource metadata at ${named}, where WWW-Authenticate says it is.`
      : 'WWW-Authenticate names no resource_metadata, and there is none at the well-known places.',
    page: LOCATION,
    todo: 'Serve /.well-known/oauth-protected-resource with "resource" and "authorization_servers"; with a token that you have already, use --bearer TOKEN.',
  };
}

function wrongResource(resource: unknown, url: URL): Finding {
  return {
    cause: 'audience-mismatch',
    severity: 'error',
    title: `the metadata is for ${JSON.stringify(resource)}, but the server is at ${url.origin}${url.pathname}`,
    detail:
      'Clients refuse this: a token for one server must not be used at another. Often the server does not know its public URL behind a proxy.',
    page: pageOf('basic/authorization#canonical-server-uri'),
    todo: `Set "resource" in the metadata, and the audience of tokens, to ${url.origin}${url.pathname}, or use the URL that it names.`,
  };
}

function noIssuer(): Finding {
  return {
    cause: 'metadata',
    severity: 'error',
    title: 'the metadata of the server names no authorization server',
    page: LOCATION,
    todo: 'Add "authorization_servers" with the URL of at least one issuer.',
  };
}

import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../../is-object.js';
import { parseJson } from '../answer.js';
import type { Finding } from '../finding.js';
import { describeExchange } from '../http/exchange.js';
import type { HttpSubject } from '../http/subject.js';
import type { Report } from '../report.js';
import { pageOf } from '../spec-page.js';

const DISCOVERY = pageOf(
  'basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery',
);

/** Looks at the metadata of an authorization server: its issuer, its endpoints, PKCE, and how clients register. */
export async function inspectAuthorizationServer(
  issuer: string,
  subject: HttpSubject,
  report: Report,
): Promise<Finding[]> {
  const places = placesOf(issuer);
  for (const place of places) {
    const exchange = await subject.send({ method: 'GET', headers: { accept: 'application/json' } }, place);
    const document = exchange.status === 200 ? parseJson(exchange.body) : undefined;
    const isFound = isObject(document) && typeof document.issuer === 'string';
    const { ms } = exchange;
    const outcome = `${describeExchange(exchange)}  ${place}`;
    report.step({ mark: isFound ? 'ok' : 'info', what: 'authorization server', outcome, ms });
    if (isFound) return judge(document, issuer, report);
  }
  report.step({ mark: 'error', what: 'authorization server', outcome: `no metadata of ${issuer}` });
  return [
    {
      cause: 'authorization-server',
      severity: 'error',
      title: `there is no metadata of the authorization server ${issuer}`,
      detail: places.length > 0 ? `Looked at ${places.join(', ')}.` : 'The issuer is no URL.',
      page: DISCOVERY,
      todo: 'Correct "authorization_servers" in the metadata of the server, or serve the metadata there.',
    },
  ];
}

/** Where the metadata of an issuer may be, in the order of the specification. */
function placesOf(issuer: string): string[] {
  if (!/^https?:\/\/[^/]/i.test(issuer)) return [];
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path ? [`${origin}${path}/.well-known/openid-configuration`] : []),
  ];
}

function judge(document: JsonObject, issuer: string, report: Report): Finding[] {
  const faults = faultsOf(document, issuer);
  for (const { title } of faults) report.step({ mark: 'error', what: title });
  return [...faults, ...registrationOf(document, issuer, report)];
}

function faultsOf(document: JsonObject, issuer: string): Finding[] {
  const fault = (title: string, todo: string, page = DISCOVERY): Finding => ({
    cause: 'authorization-server',
    severity: 'error',
    title,
    page,
    todo,
  });
  const { code_challenge_methods_supported: methods } = document;
  const missing = ['authorization_endpoint', 'token_endpoint'].filter(
    name => typeof document[name] !== 'string',
  );
  return [
    ...(document.issuer === issuer
      ? []
      : [
          fault(
            `the metadata of ${issuer} says that its issuer is ${JSON.stringify(document.issuer)}`,
            'Make both the same, letter by letter, in "authorization_servers" and in "issuer".',
          ),
        ]),
    ...missing.map(name => fault(`the metadata of ${issuer} has no ${name}`, `Add "${name}".`)),
    ...(Array.isArray(methods) && methods.includes('S256')
      ? []
      : [
          fault(
            `${issuer} does not say that it supports PKCE with S256`,
            'Add "code_challenge_methods_supported": ["S256"]; clients must refuse to sign in without it.',
            pageOf('basic/authorization/security-considerations#authorization-code-protection'),
          ),
        ]),
  ];
}

/** How a client gets its id there. */
function registrationOf(document: JsonObject, issuer: string, report: Report): Finding[] {
  const ways = [
    ...(document.client_id_metadata_document_supported === true ? ['client id metadata documents'] : []),
    ...(typeof document.registration_endpoint === 'string' ? ['dynamic registration'] : []),
  ];
  const outcome = ways.join(', ') || 'only clients that are registered by hand';
  report.step({ mark: ways.length > 0 ? 'ok' : 'warning', what: 'registration of clients', outcome });
  if (ways.length > 0) return [];
  return [
    {
      cause: 'no-registration',
      severity: 'warning',
      title: `clients cannot register themselves at ${issuer}`,
      page: pageOf('basic/authorization/client-registration'),
      todo: 'Register a client there by hand and configure its id in each client, or enable client id metadata documents.',
    },
  ];
}

import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import { readChallenge } from '../http/challenge.js';
import { describeExchange, type Exchange } from '../http/exchange.js';
import type { HttpSubject } from '../http/subject.js';
import type { Report } from '../report.js';
import { pageOf } from '../spec-page.js';
import { inspectAuthorizationServer } from './authorization-server.js';
import { inspectResource } from './resource-metadata.js';
import { inspectToken } from './token.js';

/** How does the server want to be asked for access? Follows the steps of a sign-in until the user would be asked. */
export const checkAccess: Check<HttpSubject> = {
  title: 'Authorization',
  applies: ({ demand, token, isReachable }) => isReachable && (demand !== undefined || token !== undefined),
  async run(subject, report) {
    const { demand } = subject;
    if (!demand) report.step({ mark: 'ok', what: 'the token is accepted' });
    const findings = demand ? showChallenge(demand, subject, report) : [];
    const named = readChallenge(demand?.headers['www-authenticate'])?.resourceMetadata;
    const resource = await inspectResource(subject, named, report);
    findings.push(...resource.findings);
    for (const issuer of resource.issuers) {
      findings.push(...(await inspectAuthorizationServer(issuer, subject, report)));
    }
    const ofToken = subject.token ? inspectToken(subject.token, subject, resource, report) : [];
    // The user has a token, so why it is refused comes before how another one could be had.
    return [...ofToken, ...findings];
  },
};

function showChallenge(demand: Exchange, { token }: HttpSubject, report: Report): Finding[] {
  report.step({
    mark: token ? 'error' : 'info',
    what: token ? 'the token is refused' : 'a token is required',
    outcome: describeExchange(demand),
    ms: demand.ms,
  });
  const header = demand.headers['www-authenticate'];
  const challenge = readChallenge(header);
  report.step({
    mark: challenge ? 'ok' : 'warning',
    what: 'WWW-Authenticate',
    outcome: header ?? 'missing',
  });
  if (challenge?.scope) report.step({ mark: 'info', what: 'scopes to ask for', outcome: challenge.scope });
  if (challenge) return [];
  return [
    {
      cause: 'metadata',
      severity: 'warning',
      title: 'the 401 has no WWW-Authenticate: Bearer header',
      page: pageOf(
        'basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements',
      ),
      todo: 'Add WWW-Authenticate: Bearer resource_metadata="…", so that clients find the metadata.',
    },
  ];
}

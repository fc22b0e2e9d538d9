import type { Check } from '../check.js';
import { describeExchange } from './exchange.js';
import { isMcpAnswer } from './mcp-answer.js';
import type { HttpSubject } from './subject.js';

/** Does the address only point to another one? */
export const checkRedirect: Check<HttpSubject> = {
  title: 'Cause',
  applies: subject => isUnexplained(subject) && isRedirect(subject),
  async run(subject, report) {
    subject.isExplained = true;
    const { status, headers } = subject.firstAnswer ?? {};
    const location = parseLocation(headers?.location, subject.url);
    if (!location) {
      report.step({ mark: 'error', what: `${status} without a usable Location` });
      return [
        finding(`the server redirects (${status}), but does not say where to`, 'Correct the redirect.'),
      ];
    }
    const there = await subject.discover({}, location);
    const isServer = isMcpAnswer(there);
    report.step({
      mark: isServer ? 'ok' : 'info',
      what: `redirects to ${location}`,
      outcome: describeExchange(there),
      ms: there.ms,
    });
    const title = `the server redirects (${status}) to ${location}`;
    const todo = isServer
      ? `Use ${location}: an MCP server answers there.`
      : `Use ${location} if it is the right address; run tenon doctor with it to see.`;
    return [finding(title, todo)];
  },
};

/** Whether it is still open why no revision answers. */
export function isUnexplained({ isReachable, isExplained, answers, demand }: HttpSubject): boolean {
  return isReachable && !isExplained && !answers && !demand;
}

function isRedirect({ firstAnswer }: HttpSubject): boolean {
  const status = firstAnswer?.status ?? 0;
  return status >= 300 && status < 400;
}

function parseLocation(location: string | undefined, base: URL): URL | undefined {
  try {
    return location === undefined ? undefined : new URL(location, base);
  } catch {
    return undefined;
  }
}

function finding(title: string, todo: string) {
  const detail =
    'Clients do not follow redirects of POST: they would lose the method, the body or the token.';
  return { cause: 'redirect', severity: 'error', title, detail, todo } as const;
}

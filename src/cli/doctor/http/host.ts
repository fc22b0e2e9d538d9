import type { Check } from '../check.js';
import { pageOf } from '../spec-page.js';
import { describeExchange } from './exchange.js';
import { isMcpAnswer } from './mcp-answer.js';
import { isUnexplained } from './redirect.js';
import type { HttpSubject } from './subject.js';

/** The statuses with which servers refuse a Host. */
const REFUSALS = new Set([400, 403, 404, 421]);

/** Is it the name in the URL that the server refuses? */
export const checkHost: Check<HttpSubject> = {
  title: 'Cause',
  applies: subject => isUnexplained(subject) && REFUSALS.has(subject.firstAnswer?.status ?? 0),
  async run(subject, report) {
    const { url, firstAnswer } = subject;
    const port = url.port && `:${url.port}`;
    const names = [`localhost${port}`, `127.0.0.1${port}`, 'localhost'].filter(name => name !== url.host);
    for (const name of names) {
      const { ms, ...other } = await subject.discover({ host: name });
      if (!isMcpAnswer({ ms, ...other }) || other.status === firstAnswer?.status) continue;
      subject.isExplained = true;
      report.step({
        mark: 'ok',
        what: `with Host: ${name}`,
        outcome: describeExchange({ ms, ...other }),
        ms,
      });
      return [
        {
          cause: 'wrong-host',
          severity: 'error',
          title: `the server refuses the Host ${url.host} (${firstAnswer?.status}), but accepts ${name}`,
          detail: `It protects itself against DNS rebinding and does not know the name in the URL. Its answer: ${
            brief(firstAnswer?.body) || 'empty'
          }`,
          page: pageOf('basic/transports/streamable-http#security-&-endpoint'),
          todo: `Add ${url.host} to the hosts that the server allows, or use a URL with ${name}.`,
        },
      ];
    }
    return [];
  },
};

/** The beginning of a body. */
export function brief(body: string | undefined, length = 200): string {
  const text = (body ?? '').replace(/\s+/g, ' ').trim();
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

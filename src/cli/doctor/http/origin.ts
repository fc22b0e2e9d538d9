import type { Check } from '../check.js';
import { pageOf } from '../spec-page.js';
import type { Exchange } from './exchange.js';
import type { HttpSubject } from './subject.js';

/** A name that no server knows. */
const STRANGER = 'tenon-doctor.invalid';

/** Does the server refuse web pages of strangers, and names that are not its own? */
export const checkOrigin: Check<HttpSubject> = {
  title: 'Host and Origin',
  applies: ({ spoken }) => spoken.length > 0,
  async run(subject, report) {
    const { isLocal } = subject;
    const origin = await subject.knock({ origin: `https://${STRANGER}` });
    const isOpen = isAccepted(origin);
    const what = `Origin: https://${STRANGER}`;
    report.step({ mark: mark(isOpen, isLocal), what, outcome: describe(origin), ms: origin.ms });
    // A name of a public server may be anything, because proxies route by it.
    const host = isLocal ? await subject.knock({ host: STRANGER }) : undefined;
    if (host) {
      const hostMark = isAccepted(host) ? (isOpen ? 'warning' : 'info') : 'ok';
      report.step({ mark: hostMark, what: `Host: ${STRANGER}`, outcome: describe(host), ms: host.ms });
    }
    if (!isOpen || !host || !isAccepted(host)) return [];
    return [
      {
        cause: 'any-origin',
        severity: 'warning',
        title: 'the server accepts requests of any web page (DNS rebinding)',
        detail:
          'It runs on this machine and checks neither Origin nor Host, so a web page in the browser of its user can call its tools.',
        page: pageOf('basic/transports/streamable-http#security-&-endpoint'),
        todo: 'Let the server answer an unknown Origin with 403; most SDKs have an option for it.',
      },
    ];
  },
};

function isAccepted({ status }: Exchange): boolean {
  return status !== undefined && status < 300;
}

function describe(exchange: Exchange): string {
  return isAccepted(exchange) ? 'accepted' : `refused with ${exchange.status ?? exchange.failure?.message}`;
}

function mark(isOpen: boolean, isLocal: boolean) {
  if (!isOpen) return 'ok';
  return isLocal ? 'warning' : 'info';
}

import { isIP } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import type { Report } from '../report.js';
import type { HttpSubject } from './subject.js';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Certificates that are renewed automatically have more time left than this. */
const SOON_DAYS = 14;

/** Is the certificate valid: its time, its name, its chain? */
export const checkTls: Check<HttpSubject> = {
  title: 'TLS',
  applies: ({ url, isReachable }) => isReachable && url.protocol === 'https:',
  async run(subject, report) {
    const start = performance.now();
    const handshake = await shakeHands(subject);
    const ms = performance.now() - start;
    if (typeof handshake === 'string') {
      report.step({ mark: 'error', what: 'handshake', outcome: handshake, ms });
      subject.isReachable = false;
      return [
        {
          cause: 'tls',
          severity: 'error',
          title: 'the port does not speak TLS, or no version that is still allowed',
          detail: handshake,
          todo: 'Use http:// if the server has no TLS; otherwise configure TLS 1.2 or newer.',
        },
      ];
    }
    report.step({ mark: 'ok', what: 'handshake', outcome: handshake.protocol, ms });
    return judge(handshake, subject, report);
  },
};

interface Handshake {
  readonly protocol: string;
  readonly certificate: PeerCertificate;
  /** Why the certificate is not trusted. */
  readonly refusal: string | undefined;
}

/** The certificate is looked at whether it is trusted or not; nothing is sent. */
function shakeHands({ url, limitMs, signal }: HttpSubject): Promise<Handshake | string> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({
      host,
      port: Number(url.port) || 443,
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
      timeout: limitMs,
    });
    const end = (outcome: Handshake | string) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      resolve(outcome);
    };
    const abort = () => {
      reject(signal.reason);
      end('interrupted');
    };
    socket.on('secureConnect', () => {
      const error = socket.authorizationError as Error | string | null;
      const refusal = error ? ((error as NodeJS.ErrnoException).code ?? String(error)) : undefined;
      const protocol = socket.getProtocol() ?? 'TLS';
      end({ protocol, certificate: socket.getPeerCertificate(), refusal });
    });
    socket.on('timeout', () => end(`no answer within ${limitMs / 1000} s`));
    socket.on('error', (error: Error & { reason?: string }) => end(error.reason ?? error.message));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

function judge({ certificate, refusal }: Handshake, subject: HttpSubject, report: Report): Finding[] {
  const daysLeft = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS);
  const names = certificate.subjectaltname ?? String(certificate.subject?.CN ?? 'nobody');
  const facts = `for ${names}, valid until ${certificate.valid_to}, issued by ${certificate.issuer?.CN ?? certificate.issuer?.O ?? 'nobody'}`;
  if (refusal) {
    subject.isReachable = false;
    const { title, todo } = explain(refusal, certificate, names, subject.url.hostname);
    report.step({ mark: 'error', what: 'certificate', outcome: `${facts}: ${refusal}` });
    return [{ cause: 'tls', severity: 'error', title, detail: `It is ${facts} (${refusal}).`, todo }];
  }
  const isSoon = daysLeft < SOON_DAYS;
  report.step({ mark: isSoon ? 'warning' : 'ok', what: 'certificate', outcome: facts });
  if (!isSoon) return [];
  return [
    {
      cause: 'tls',
      severity: 'warning',
      title: `the certificate expires in ${daysLeft} days`,
      todo: 'Renew it, and look why that did not happen automatically.',
    },
  ];
}

function explain(
  refusal: string,
  { valid_from, valid_to }: PeerCertificate,
  names: string,
  host: string,
): Pick<Finding, 'title' | 'todo'> {
  // A self-signed certificate may have expired as well; the date is what the user sees last, so it is said first.
  if (refusal === 'CERT_HAS_EXPIRED' || Date.parse(valid_to) < Date.now()) {
    return {
      title: `the certificate has expired, on ${valid_to}`,
      todo: 'Renew the certificate of the server.',
    };
  }
  if (refusal === 'CERT_NOT_YET_VALID') {
    return {
      title: `the certificate is valid only from ${valid_from} on`,
      todo: 'Check the clock of this machine, and the certificate.',
    };
  }
  if (refusal === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return {
      title: `the certificate is not for ${host}`,
      todo: `Use a name that it is for (${names}), or get a certificate for ${host}.`,
    };
  }
  if (/SELF_SIGNED/.test(refusal)) {
    return {
      title: 'the certificate is self-signed, so clients do not trust it',
      todo: 'Use a certificate of a public authority, or set NODE_EXTRA_CA_CERTS to the file of your own authority.',
    };
  }
  return {
    title: 'the chain of the certificate is not complete or not trusted',
    todo: 'Configure the server to send the intermediate certificates, too.',
  };
}

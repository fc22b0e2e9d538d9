import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import type { Check } from '../check.js';
import type { Finding } from '../finding.js';
import type { HttpSubject } from './subject.js';

/** Can a connection to the address be opened? */
export const checkReach: Check<HttpSubject> = {
  title: 'Connection',
  async run(subject, report) {
    const { url } = subject;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const start = performance.now();
    const failure = await open(host, port, subject);
    const ms = performance.now() - start;
    if (!failure) {
      report.step({ mark: 'ok', what: `${url.host} accepts connections`, ms });
      return [];
    }
    report.step({ mark: 'error', what: `no connection to ${url.host}`, outcome: failure.message, ms });
    subject.isReachable = false;
    return [explain(failure, host, port)];
  },
};

interface Failure {
  readonly code: string;
  readonly message: string;
}

async function open(host: string, port: number, subject: HttpSubject): Promise<Failure | undefined> {
  try {
    await lookup(host);
  } catch (error) {
    return toFailure(error);
  }
  const { limitMs, signal } = subject;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: limitMs });
    const end = (failure?: Failure) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      resolve(failure);
    };
    const abort = () => {
      reject(signal.reason);
      end();
    };
    socket.on('connect', () => end());
    socket.on('timeout', () => end({ code: 'ETIMEDOUT', message: `no answer within ${limitMs / 1000} s` }));
    socket.on('error', error => end(toFailure(error)));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
}

function toFailure(error: unknown): Failure {
  const { code = 'FAILED', message } = error as NodeJS.ErrnoException;
  return { code, message: message || code };
}

function explain({ code, message }: Failure, host: string, port: number): Finding {
  const finding = { cause: 'unreachable', severity: 'error', detail: message } as const;
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        ...finding,
        title: `the name ${host} cannot be resolved`,
        todo: 'Check the spelling of the host, and the network or VPN that knows it.',
      };
    case 'ECONNREFUSED':
      return {
        ...finding,
        title: `nothing listens on port ${port} of ${host}`,
        todo: 'Start the server, or correct the port in the URL.',
      };
    default:
      return {
        ...finding,
        title: `no connection to ${host}:${port} can be opened`,
        todo: 'Check the address, the network, and firewalls between here and the server.',
      };
  }
}

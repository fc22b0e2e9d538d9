import { HEADER } from 'tenon/protocol';
import type { Check } from '../check.js';
import type { Exchange } from './exchange.js';
import type { HttpSubject } from './subject.js';

/** Any page, if the user names none. */
const SOME_PAGE = 'https://example.com';
const BASE_HEADERS = ['content-type', HEADER.protocolVersion];

/** Can a web page use the server? Browsers ask for permission first. */
export const checkCors: Check<HttpSubject> = {
  title: 'Web pages',
  applies: ({ spoken, origin, demand, isReachable }) =>
    isReachable && (spoken.length > 0 || (origin !== undefined && demand !== undefined)),
  async run(subject, report) {
    const origin = subject.origin ?? SOME_PAGE;
    const wanted = headersOf(subject);
    const preflight = await subject.send({
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': wanted.join(','),
      },
    });
    const { spoken } = subject;
    const actual = spoken.length > 0 ? await subject.knock({ origin }) : undefined;
    const faults = faultsOf(preflight, actual, origin, wanted);
    const [first] = faults;
    if (first === undefined) {
      report.step({ mark: 'ok', what: `pages of ${origin} may use the server`, ms: preflight.ms });
      return [];
    }
    // Without --origin nobody has said that web pages should use it.
    const isWanted = subject.origin !== undefined;
    const hint = isWanted ? '' : ' (fine unless they should; see --origin)';
    report.step({
      mark: isWanted ? 'error' : 'info',
      what: `pages of ${isWanted ? origin : 'other origins'} cannot use the server`,
      outcome: `${first}${hint}`,
      ms: preflight.ms,
    });
    if (!isWanted) return [];
    return [
      {
        cause: 'cors',
        severity: 'error',
        title: `browsers keep pages of ${origin} from using the server (CORS)`,
        detail: faults.map(fault => `${fault}.`).join(' '),
        todo: `Answer OPTIONS with Access-Control-Allow-Origin: ${origin}, Access-Control-Allow-Headers: ${wanted.join(', ')}, and responses with Access-Control-Expose-Headers: Mcp-Session-Id, WWW-Authenticate.`,
      },
    ];
  },
};

/** The headers that a client on a page sends. */
function headersOf({ discovery, greeting, headers }: HttpSubject): string[] {
  return [
    ...BASE_HEADERS,
    ...(discovery?.answer?.result ? [HEADER.method, HEADER.name] : []),
    ...(greeting?.session ? [HEADER.sessionId] : []),
    ...(headers.authorization ? ['authorization'] : []),
  ];
}

function faultsOf(
  preflight: Exchange,
  actual: Exchange | undefined,
  origin: string,
  wanted: readonly string[],
): string[] {
  if (!allows(preflight, 'access-control-allow-origin', origin)) {
    return [`OPTIONS is answered with ${preflight.status ?? 'nothing'} without Access-Control-Allow-Origin`];
  }
  const missing = wanted.filter(name => !allows(preflight, 'access-control-allow-headers', name));
  const needsExposure = actual?.headers[HEADER.sessionId] !== undefined;
  return [
    ...((preflight.status ?? 0) >= 300 ? [`OPTIONS is answered with ${preflight.status}`] : []),
    ...(missing.length > 0 ? [`Access-Control-Allow-Headers lacks ${missing.join(', ')}`] : []),
    ...(actual && !allows(actual, 'access-control-allow-origin', origin)
      ? [`POST is answered with ${actual.status} without Access-Control-Allow-Origin`]
      : []),
    ...(needsExposure && actual && !allows(actual, 'access-control-expose-headers', HEADER.sessionId)
      ? ['Access-Control-Expose-Headers lacks Mcp-Session-Id, so pages cannot read it']
      : []),
  ];
}

function allows({ headers }: Exchange, header: string, wanted: string): boolean {
  const values = String(headers[header] ?? '')
    .split(',')
    .map(value => value.trim().toLowerCase());
  // The wildcard does not cover credentials.
  if (values.includes('*') && wanted !== 'authorization') return true;
  return values.includes(wanted.toLowerCase());
}

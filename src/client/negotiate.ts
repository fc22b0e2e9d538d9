import { MAX_TIMER_MS } from '../base/timers.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { HttpError } from '../protocol/failures.js';
import { httpStatus } from '../protocol/http-status.js';
import { findRevision, type Revision } from '../revisions/index.js';
import { isModernError, openOverHttp } from './http-opening.js';
import type { Link, LinkHost, ServerDescription } from './link.js';
import { type Dialer, Negotiator, type NegotiatorOptions, type Opened } from './negotiator.js';

/** The outcome of a negotiation. It is JSON: store it, and the next connection starts without a probe. */
export interface Negotiated {
  /** The revision in use. */
  revision: string;
  /** Whether the server has only the HTTP+SSE transport of the first revision. */
  sse?: boolean | undefined;
  /** Whether the server may speak a newer revision, because it did not answer the probe. The next connection probes again. */
  doubtful?: boolean | undefined;
  server?: ServerDescription | undefined;
}

export interface NegotiateOptions extends NegotiatorOptions {
  negotiated?: Negotiated | undefined;
}

/**
 * Finds out which revision a server speaks, and opens a link of that revision. The probe, and the handshake if it fails, are
 * in `http-opening.ts` and `pipe-opening.ts`.
 */
export async function negotiate(
  dialer: Dialer,
  host: LinkHost,
  { negotiated, ...options }: NegotiateOptions,
): Promise<{ link: Link; negotiated: Negotiated }> {
  const negotiator = new Negotiator(dialer, host, options);
  // While code is loaded, nothing is waited for from the server.
  if (!dialer.openSse) await import('./on-demand.js');
  const stopTelling = tellWaiting(options);
  try {
    const { link, isSse, doubt } = await open(negotiator, negotiated);
    if (doubt !== undefined) host.warn(doubtMessage(link, doubt));
    options.onStatus({ kind: 'connected', revision: link.revision });
    const outcome = { revision: link.revision, server: link.server };
    return {
      link,
      negotiated: { ...outcome, ...(isSse && { sse: true }), ...(doubt !== undefined && { doubtful: true }) },
    };
  } catch (error) {
    await negotiator.close();
    throw error;
  } finally {
    stopTelling();
  }
}

async function open(negotiator: Negotiator, negotiated: Negotiated | undefined): Promise<Opened> {
  const { dialer, options } = negotiator;
  const remembered = negotiated && !negotiated.doubtful ? findRevision(negotiated.revision) : undefined;
  const { allowed } = options;
  const { mayProbe } = negotiator;
  const known = allowed.find(revision => revision === remembered) ?? (mayProbe ? undefined : allowed[0]);
  if (known?.era === 'modern' && mayProbe) {
    // The first request will show whether it is still so.
    await negotiator.openOrFail();
    return { link: negotiator.trust(known, negotiated?.server) };
  }
  negotiator.askFor(known?.era === 'legacy' ? known : allowed.find(({ era }) => era === 'legacy'));
  if (!dialer.openSse) {
    const { openOverPipe } = await import('./on-demand.js');
    return openOverPipe(negotiator, planFor(known, mayProbe));
  }
  if (known?.era === 'legacy' && negotiated?.sse)
    return openOverHttp(negotiator, dialer.openSse, 'greet over SSE');
  const plan = planFor(known, mayProbe);
  return openOverHttp(negotiator, dialer.openSse, plan === 'greet only' ? 'greet' : plan);
}

function planFor(known: Revision | undefined, mayProbe: boolean) {
  if (!known) return 'find out';
  if (known.era === 'modern') return 'probe only';
  return mayProbe ? 'greet' : 'greet only';
}

/** Reports again and again that there is no answer yet. */
function tellWaiting({ probeTimeoutMs, onStatus }: NegotiatorOptions): () => void {
  const startedAt = performance.now();
  const timer = setInterval(
    () => onStatus({ kind: 'waiting', waitedMs: Math.round(performance.now() - startedAt) }),
    Math.min(probeTimeoutMs, MAX_TIMER_MS),
  );
  return () => clearInterval(timer);
}

function doubtMessage({ revision }: Link, doubt: string): string {
  return `the server is spoken to in revision ${revision}, but may speak a newer one (${doubt}); the next connection probes it again`;
}

/** Whether a server keeps nothing between requests, so that another process of it can go on. */
export function isStateless({ revision }: Link): boolean {
  return findRevision(revision)?.era === 'modern';
}

/** Whether an error on a link may mean that its server no longer speaks the negotiated revision. */
export function contradictsNegotiated(error: unknown, link: Link): boolean {
  if (error instanceof HttpError) return [400, 404, 405, 406, 415, 422].includes(error.status);
  if (!(error instanceof McpError)) return false;
  if (error.code === ERROR.unsupportedVersion) return true;
  return isStateless(link) ? isForeign(error) : isModernError(error);
}

/**
 * Whether a server without handshakes would not refuse a well-formed request with this HTTP status and code. The status
 * decides: servers give the codes from -32000 to -32019 any meaning.
 */
function isForeign({ code, cause }: McpError): boolean {
  if (!(cause instanceof HttpError)) return false;
  return code === ERROR.parse || code === ERROR.invalidRequest || httpStatus(code) !== cause.status;
}

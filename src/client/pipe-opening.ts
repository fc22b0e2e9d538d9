import { onAbort, throwIfAborted } from '../base/abort.js';
import { Cancelled } from '../base/errors.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { InvalidAnswer, RequestTimeout } from '../protocol/failures.js';
import { CannotConnect, PROBE } from './cannot-connect.js';
import type { RequestOptions } from './link.js';
import type { Negotiator, Opened } from './negotiator.js';
import { isDoubtful, nextStep, type Opening, type Plan, type ProbeState } from './opening-steps.js';
import type { Wire } from './wire.js';

/** A program that has written nothing is probably still starting, so the probe is given this many times longer. */
const STARTING_FACTOR = 6;

/** Opens a link over a pipe. The pipe is started again, at most twice, if a request has spoiled it. */
export async function openOverPipe(negotiator: Negotiator, plan: Plan): Promise<Opened> {
  for (let next = plan; ; ) {
    const outcome = await new PipeOpening(negotiator, next).run();
    if ('link' in outcome) return outcome;
    next = outcome.plan;
  }
}

/** One start of a pipe. `nextStep` decides; this class sends the requests and keeps what is known of their answers. */
class PipeOpening {
  readonly #negotiator: Negotiator;
  readonly #opening: Opening;
  readonly #over = new AbortController();
  #wire!: Wire;
  #wake = () => {};
  /** How often the time of the probe has passed, since the probe and since the handshake could have been answered. */
  #waits = 0;
  #idleWaits = 0;
  #lastWait: ReturnType<typeof setTimeout> | undefined;
  #lastError: unknown;
  /** An error that ends the negotiation. */
  #failure: unknown;

  constructor(negotiator: Negotiator, plan: Plan) {
    this.#negotiator = negotiator;
    this.#opening = { plan, probe: 'unsent', handshake: 'unsent', check: 'unsent', hasEnded: false };
  }

  async run(): Promise<Opened | { plan: Plan }> {
    const { signal } = this.#negotiator;
    this.#wire = await this.#negotiator.openOrFail();
    const timer = setInterval(() => this.#passTime(), Math.min(this.#probeTimeoutMs, MAX_TIMER_MS));
    const ignoreSignal = signal && onAbort(signal, () => this.#over.abort(signal.reason));
    try {
      for (;;) {
        throwIfAborted(signal);
        if (this.#failure) throw this.#failure;
        const outcome = await this.#step();
        if (outcome) return outcome;
      }
    } finally {
      clearInterval(timer);
      clearTimeout(this.#lastWait);
      ignoreSignal?.();
      this.#over.abort(new Cancelled('it is no longer needed'));
    }
  }

  async #step(): Promise<Opened | { plan: Plan } | undefined> {
    const step = nextStep(this.#opening);
    switch (step) {
      case 'wait':
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        return undefined;
      case 'probe':
        this.#probe('probe');
        return undefined;
      case 'check':
        this.#probe('check');
        return undefined;
      case 'greet':
        this.#greet();
        return undefined;
      case 'use modern':
        return { link: this.#negotiator.useModern() };
      case 'use legacy':
        return {
          link: this.#negotiator.useLegacy(),
          doubt: isDoubtful(this.#opening) ? this.#doubt() : undefined,
        };
      case 'start again to greet':
        return this.#startAgain(this.#greetingPlan());
      case 'start again to probe':
        return this.#startAgain('probe only');
      case 'give up':
        throw this.#negotiator.failFrom(this.#lastError);
    }
  }

  #probe(which: 'probe' | 'check'): void {
    const { plan } = this.#opening;
    if (which === 'probe') this.#negotiator.options.onStatus({ kind: 'probing' });
    this.#opening[which] = 'sent';
    // The first probe is never given up while there is another way: its answer wins, however late it is.
    const limit =
      which === 'check' ? this.#probeTimeoutMs : plan === 'probe only' ? this.#startLimit : MAX_TIMER_MS;
    this.#follow(
      PROBE,
      this.#negotiator.probe(this.#options(limit)),
      isModern => {
        this.#opening[which] = isModern ? 'answered' : 'refused';
      },
      error => {
        this.#opening[which] = answerIn(error);
      },
    );
  }

  #greet(): void {
    const { plan, probe } = this.#opening;
    if (plan === 'find out') {
      const reason = `${PROBE} was ${probe === 'late' ? 'not answered in time' : 'refused'}`;
      this.#negotiator.options.onStatus({ kind: 'falling-back', to: 'initialize', reason });
    } else this.#negotiator.options.onStatus({ kind: 'initializing' });
    this.#opening.handshake = 'sent';
    this.#follow(
      'initialize',
      this.#negotiator.initialize(this.#options(this.#startLimit)),
      () => {
        this.#opening.handshake = 'accepted';
        this.#stopExpectingProbe();
      },
      error => {
        this.#opening.handshake = error instanceof RequestTimeout ? 'late' : refusalOf(error);
      },
    );
  }

  /** A server that is awake answers the first probe soon, or never. */
  #stopExpectingProbe(): void {
    this.#lastWait = setTimeout(
      () => {
        if (this.#opening.probe === 'late') this.#opening.probe = 'ignored';
        this.#wake();
      },
      Math.min(this.#probeTimeoutMs, MAX_TIMER_MS),
    );
  }

  /** Reports what becomes of a request, unless the opening is over by then. */
  #follow<T>(
    what: string,
    sent: Promise<T>,
    succeeded: (value: T) => void,
    failed: (error: unknown) => void,
  ): void {
    const report = (change: () => void) => {
      if (this.#over.signal.aborted) return this.#wake();
      change();
      this.#wake();
    };
    sent.then(
      value => report(() => succeeded(value)),
      error =>
        report(() => {
          if (error instanceof CannotConnect) {
            this.#failure = error;
            return;
          }
          this.#lastError = error;
          this.#negotiator.note(what, error);
          if (isOutcome(error)) failed(error);
          else this.#opening.hasEnded = true;
        }),
    );
  }

  /** Called each time that the time of the probe has passed. */
  #passTime(): void {
    const { plan, probe, handshake } = this.#opening;
    const { signs } = this.#wire;
    if (probe === 'sent' && plan === 'find out') {
      const patience = signs?.isStarting() ? STARTING_FACTOR : 1;
      if (++this.#waits >= patience) this.#beLate();
    } else if (handshake === 'sent' && (probe === 'answered' || signs?.hasRead(PROBE))) {
      // It is awake, and has both requests. Twice, because it may have read them only now.
      if (++this.#idleWaits >= 2) this.#opening.handshake = 'late';
    }
    this.#wake();
  }

  #beLate(): void {
    const error = new RequestTimeout(`not answered within ${this.#waits * this.#probeTimeoutMs} ms`);
    this.#lastError = error;
    this.#negotiator.note(PROBE, error);
    this.#opening.probe = 'late';
    if (this.#wire.signs?.hasRead(PROBE)) this.#idleWaits++;
  }

  get #probeTimeoutMs(): number {
    return this.#negotiator.options.probeTimeoutMs;
  }

  /** How long the first answer of this process may take. */
  get #startLimit(): number {
    const { limits, startTimeoutMs } = this.#negotiator.options;
    return this.#wire.signs && !this.#wire.signs.hasSpoken() ? startTimeoutMs : limits.timeoutMs;
  }

  #options(limit: number): RequestOptions {
    return { timeoutMs: limit, maxTimeoutMs: limit, signal: this.#over.signal };
  }

  #greetingPlan(): Plan {
    const { hasEnded, probe, check } = this.#opening;
    return hasEnded || probe === 'refused' || check === 'refused' ? 'greet only' : 'greet in doubt';
  }

  async #startAgain(plan: Plan): Promise<{ plan: Plan }> {
    if (!this.#negotiator.dialer.canReopen) throw this.#negotiator.failFrom(this.#lastError);
    const reason = this.#reason();
    this.#negotiator.options.onStatus({ kind: 'restarting', reason });
    this.#negotiator.warn(`the server is started again: ${reason}`);
    await this.#negotiator.close();
    return { plan };
  }

  #doubt(): string {
    if (this.#opening.probe !== 'misdelivered') return `it did not answer ${PROBE}`;
    return `it refused ${PROBE} for headers, which only a newer server reads`;
  }

  #reason(): string {
    const { hasEnded, probe, handshake } = this.#opening;
    if (hasEnded) return 'it ended when it was probed';
    if (probe === 'answered')
      return 'it answered the probe too late, and the handshake has changed its revision';
    const outcome = handshake === 'late' ? 'did not answer' : 'refused';
    return `it ${outcome} initialize after a probe, as bridges do that connect by themselves`;
  }
}

/** Whether an error is about the request. Any other one, which may be of the author's transport, ends the connection. */
function isOutcome(error: unknown): boolean {
  return error instanceof McpError || error instanceof InvalidAnswer || error instanceof RequestTimeout;
}

function refusalOf(error: unknown): 'refused' | 'outdated' {
  return error instanceof McpError && error.code === ERROR.unsupportedVersion ? 'outdated' : 'refused';
}

/** What an error says about a probe. A pipe has no headers: if they are wrong, a bridge to HTTP has sent its own. */
function answerIn(error: unknown): ProbeState {
  if (error instanceof RequestTimeout) return 'late';
  if (!(error instanceof McpError)) return 'refused';
  if (error.code === ERROR.headerMismatch) return 'misdelivered';
  return error.code === ERROR.missingCapability ? 'answered' : 'refused';
}

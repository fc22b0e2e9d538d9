import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { checkOptions, type OptionNames } from '../../../base/options.js';
import type { Awaitable } from '../../../base/settle.js';
import { ERROR } from '../../../protocol/errors.js';
import { type LocalService, type Servable, serviceOf } from '../../../protocol/service.js';
import type { SingleUse } from '../../../protocol/single-use.js';
import { chooseRevisions } from '../../../revisions/choose.js';
import type { Cluster } from '../../../server/cluster/cluster.js';
import { PROCESS_TOTAL } from '../../../server/held-total.js';
import { Ledger } from '../../../server/ledger.js';
import {
  GRACE_MS,
  LINES_PER_TURN,
  MAX_LINE_BYTES,
  MAX_PIPE_BACKLOG_BYTES,
  USED_STATES_PER_BYTE,
} from '../../../server/limits.js';
import { ON_DEMAND } from '../../../server/loading.js';
import { joinCluster, leaveCluster } from '../../../server/membership-on-demand.js';
import { Pipe } from '../../../server/pipe.js';
import { chooseKeys, readKey } from '../../../server/seal/keys.js';
import { sealOnDemand } from '../../../server/seal-on-demand.js';
import { singleUseOnDemand } from '../../../server/single-use-on-demand.js';
import { LineSplitter } from '../../lines.js';
import { isUtf8 } from '../../utf8.js';
import { nodeCipher } from '../cipher.js';
import { heapShare } from '../heap-share.js';
import { reserveStdout } from './stdout.js';

/** Options of `serveStdio`. */
export interface StdioOptions {
  /** Standard input by default. */
  input?: Readable | undefined;
  /** Standard output by default; everything else that is printed there then goes to standard error. */
  output?: Writable | undefined;
  /** Secrets that seal the state of multi-round requests, as for `listen`; those in `TENON_KEYS` by default. */
  keys?: readonly (string | Uint8Array)[] | undefined;
  /** What the nodes of the server share, as for `listen`. */
  cluster?: Cluster | undefined;
  /** Remembers which states were used, for `refuseReplays` and `ctx.once()`; in the cluster, or this process, if not set. */
  singleUse?: SingleUse | undefined;
  /** The revisions that are served, as for `listen`; all by default. */
  revisions?: readonly string[] | undefined;
  /** The longest line that is accepted, in bytes. */
  maxLineBytes?: number | undefined;
  /** How much memory the server may hold for its client, as for `listen`: a quarter of the heap by default. */
  maxHeldBytes?: number | undefined;
  /** How long calls may continue after the input has ended. */
  graceMs?: number | undefined;
}

const STDIO_OPTIONS: OptionNames<StdioOptions> = {
  input: 'an object',
  output: 'an object',
  keys: 1,
  cluster: 'an object',
  singleUse: 'an object',
  revisions: 1,
  maxLineBytes: 'a number, 0 or more',
  maxHeldBytes: 1,
  graceMs: 'a number, 0 or more',
};

/** A server on a pipe. */
export interface RunningServer {
  /** Resolves when the input has ended and all requests have been answered. */
  readonly closed: Promise<void>;
  /** Ends listen streams, waits for calls up to `graceMs`, then aborts them. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server over standard input and output, all revisions in one process. Exits the process when the
 * input ends, as a client expects.
 *
 * @example
 * serveStdio(server);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function serveStdio(server: Servable, options: StdioOptions = {}): RunningServer {
  const service = serviceOf(server, 'serveStdio');
  checkOptions(options, STDIO_OPTIONS, 'serveStdio');
  const running = new StdioServer(service, options);
  return { closed: running.closed, close: graceMs => running.close(graceMs) };
}

class StdioServer {
  readonly closed: Promise<void>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #ownsProcess: boolean;
  readonly #graceMs: number;
  readonly #maxLineBytes: number;
  readonly #pipe: Pipe;
  readonly #lines: LineSplitter;
  readonly #ledger: Ledger;
  readonly #service: LocalService;
  readonly #membership: ReturnType<typeof joinCluster>;
  /** The lines that were taken in this turn of the event loop. */
  #taken = 0;
  /** Resolves when a client that is behind has read the output. */
  #reading: Promise<void> | undefined;
  #pauses = 0;
  #closing: Promise<void> | undefined;
  #resolveClosed!: () => void;

  constructor(service: LocalService, options: StdioOptions) {
    const keys = chooseKeys(options.keys)?.map(readKey);
    this.#service = service;
    this.#membership = joinCluster(service, options, keys, false);
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? reserveStdout();
    this.#ownsProcess = options.input === undefined && options.output === undefined;
    this.#graceMs = options.graceMs ?? GRACE_MS;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    // There is one client, so it may use the whole.
    this.#ledger = new Ledger(options.maxHeldBytes ?? heapShare(), 1, PROCESS_TOTAL);
    const account = this.#ledger.open();
    const maxUses = this.#ledger.limit * USED_STATES_PER_BYTE;
    this.#pipe = new Pipe(service, text => this.#send(text), {
      account: () => account,
      revisions: chooseRevisions(options.revisions),
      modern: {
        seal: sealOnDemand(({ withRecent, createSeal }) => withRecent(createSeal(keys, nodeCipher))),
        singleUse:
          options.singleUse ??
          singleUseOnDemand(part =>
            part.createSingleUse(service, keys !== undefined, maxUses, options.cluster),
          ),
      },
      isFull: () => this.#isFull,
    });
    this.#lines = new LineSplitter({
      maxBytes: this.#maxLineBytes,
      onOverflow: () => this.#sendParseError(`a line must not be longer than ${this.#maxLineBytes} bytes`),
      onLine: line => this.#receive(line),
    });
    this.closed = new Promise(resolve => {
      this.#resolveClosed = resolve;
    });
    this.#watch();
  }

  close(graceMs = this.#graceMs): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  #watch(): void {
    const end = () => void this.close();
    this.#input.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#input.on('end', end);
    this.#input.on('error', end);
    // A client that is gone cannot read, so the error cannot be sent to it.
    this.#output.on('error', end);
  }

  /** A chunk may have hundreds of requests with large answers; no more are taken while those are not read. */
  #read(chunk: Buffer): void {
    const pending = this.#lines.push(chunk);
    if (pending instanceof Promise) this.#pauseUntil(pending);
  }

  #pauseUntil(ready: Promise<void>): void {
    this.#pauses++;
    this.#input.pause();
    void ready.then(() => {
      if (--this.#pauses === 0) this.#input.resume();
    });
  }

  #receive(line: Buffer): Awaitable<void> {
    if (isUtf8(line)) {
      const text = line.toString('utf8');
      // Some clients put blank lines between messages, or end lines with CR LF.
      if (text.trim() !== '') void this.#pipe.receive(text);
    } else this.#sendParseError('the message is not valid UTF-8');
    if (++this.#taken >= LINES_PER_TURN) return this.#untilRead();
  }

  /** Waits until the requests so far had a turn to be answered, and the client has read the answers. */
  async #untilRead(): Promise<void> {
    await nextTurn();
    // Requests that wait for code are all answered at once when it is there.
    await ON_DEMAND.loading?.catch(() => {});
    this.#taken = 0;
    await this.#reading;
  }

  get #isFull(): boolean {
    return this.#output.writableLength > MAX_PIPE_BACKLOG_BYTES;
  }

  #send(text: string): void {
    const output = this.#output;
    if (output.destroyed || output.writableEnded) return;
    output.write(`${text}\n`);
    if (this.#isFull) this.#reading ??= this.#untilDrained();
    if (output.writableLength <= this.#ledger.limit || this.#closing) return;
    this.#service.report(new Error('the client does not read its answers; the server closes'), 'stdio');
    // Many more answers may be ready.
    output.destroy();
    void this.close(0);
  }

  /** Reads no more from a client until it has read the output. */
  #untilDrained(): Promise<void> {
    const drained = new Promise<void>(resolve => {
      this.#output.once('drain', () => {
        this.#reading = undefined;
        this.#pipe.drained();
        resolve();
      });
    });
    this.#pauseUntil(drained);
    return drained;
  }

  #sendParseError(message: string): void {
    this.#pipe.refuseUnreadable({ code: ERROR.parse, message });
  }

  async #close(graceMs: number): Promise<void> {
    this.#lines.end();
    await this.#pipe.close(graceMs);
    await leaveCluster(this.#membership);
    this.#ledger.close();
    await flush(this.#output, graceMs);
    this.#resolveClosed();
    if (this.#ownsProcess) process.exit();
  }
}

/** Waits until the output is written, but only for `graceMs`, because the client may have stopped reading. */
function flush(output: Writable, graceMs: number): Promise<void> {
  return new Promise(resolve => {
    if (output.destroyed || output.writableLength === 0) return resolve();
    const timer = setTimeout(resolve, graceMs);
    output.write('', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

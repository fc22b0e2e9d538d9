import type { Readable, Writable } from 'node:stream';
import { checkOptions, type OptionNames } from '../../../base/options.js';
import { errorText } from '../../../jsonrpc/message.js';
import { ERROR } from '../../../protocol/errors.js';
import { type Servable, serviceOf } from '../../../protocol/service.js';
import type { SingleUse } from '../../../protocol/single-use.js';
import { serveConnection } from '../../../server/pipe.js';
import { chooseKeys } from '../../../server/seal/keys.js';
import { withRecent } from '../../../server/seal/recent-seals.js';
import { createSeal } from '../../../server/seal/seal.js';
import { createMemorySingleUse } from '../../../server/single-use.js';
import { LineSplitter } from '../../lines.js';
import { isUtf8 } from '../../utf8.js';
import { nodeCipher } from '../cipher.js';
import { reserveStdout } from './stdout.js';

export interface StdioOptions {
  /** Standard input by default. */
  input?: Readable | undefined;
  /** Standard output by default; everything else that is printed there then goes to standard error. */
  output?: Writable | undefined;
  /** Secrets that seal the states of rounds, as for `listen`; those in `TENON_KEYS` by default. */
  keys?: readonly (string | Uint8Array)[] | undefined;
  /** Remembers which rounds of `once` tools were run; in this process if not set. */
  singleUse?: SingleUse | undefined;
  /** The longest line that is read. */
  maxLineBytes?: number | undefined;
  /** How long calls may go on after the input has ended. */
  graceMs?: number | undefined;
}

const STDIO_OPTIONS: OptionNames<StdioOptions> = {
  input: 1,
  output: 1,
  keys: 1,
  singleUse: 1,
  maxLineBytes: 1,
  graceMs: 1,
};

/** A server on a pipe. */
export interface Serving {
  /** Resolves when the input has ended and everything has been answered. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const MAX_LINE_BYTES = 4 * 1024 * 1024;
const GRACE_MS = 5000;
/** No more requests are read, and no logs written, while this much waits for a client that does not read. */
const MAX_QUEUED_BYTES = 1024 * 1024;

/**
 * Serves a server over standard input and output, all revisions in one process. Exits the process when the
 * input ends, as a client expects.
 *
 * @example
 * serveStdio(server);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function serveStdio(server: Servable, options: StdioOptions = {}): Serving {
  const service = serviceOf(server, 'serveStdio');
  checkOptions(options, STDIO_OPTIONS, 'serveStdio');
  const { input = process.stdin, maxLineBytes = MAX_LINE_BYTES, graceMs = GRACE_MS } = options;
  const keys = chooseKeys(options.keys);
  const output = options.output ?? reserveStdout();
  const ownsProcess = options.input === undefined && options.output === undefined;

  const isFull = () => output.writableLength > MAX_QUEUED_BYTES;
  const send = (text: string) => {
    if (output.destroyed || output.writableEnded) return;
    output.write(`${text}\n`);
    if (isFull() && !input.isPaused()) {
      input.pause();
      output.once('drain', () => input.resume());
    }
  };
  const refuse = (message: string) => send(errorText(undefined, { code: ERROR.parse, message }));
  const connection = serveConnection(service, send, {
    modern: {
      seal: withRecent(createSeal(keys, nodeCipher)),
      singleUse: options.singleUse ?? createMemorySingleUse(),
    },
    isFull,
  });
  const lines = new LineSplitter({
    maxBytes: maxLineBytes,
    onOverflow: () => refuse(`a line must not be longer than ${maxLineBytes} bytes`),
    onLine: line => {
      if (!isUtf8(line)) return refuse('the message is not valid UTF-8');
      const text = line.toString('utf8');
      // Some clients put blank lines between messages, or end lines with CR LF.
      if (text.trim() !== '') void connection.receive(text);
    },
  });

  let closing: Promise<void> | undefined;
  let resolveClosed!: () => void;
  const closed = new Promise<void>(resolve => {
    resolveClosed = resolve;
  });
  const close = () => {
    closing ??= (async () => {
      lines.end();
      await connection.close(graceMs);
      await flush(output, graceMs);
      resolveClosed();
      if (ownsProcess) process.exit();
    })();
    return closing;
  };

  input.on('data', (chunk: Buffer) => lines.push(chunk));
  input.on('end', close);
  input.on('error', close);
  // A client that is gone cannot read; there is nobody to tell.
  output.on('error', close);
  return { closed, close };
}

/** Waits until everything is written; not for ever, because the client may not read any more. */
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

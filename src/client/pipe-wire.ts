import { onAbort } from '../base/abort.js';
import { isObject } from '../base/json.js';
import { type Awaitable, andThen, settle } from '../base/settle.js';
import { Pace } from '../base/turns.js';
import {
  type Malformed,
  parseMessages,
  type RequestId,
  type Response,
  readMessage,
  requestText,
} from '../jsonrpc/message.js';
import { ConnectionError, InvalidAnswer, isBroken } from '../protocol/failures.js';
import type { Transport } from '../protocol/transport.js';
import { MAX_UNSENT } from './limits.js';
import type { Clock, Headers, OpenWire, Outgoing, Receive, Sent, Signs, Wire } from './wire.js';

interface Pending {
  method: string;
  resolve(response: Response): void;
  reject(error: Error): void;
}

/** How many characters may wait while a large message is parsed, if the transport does not pause. */
const MAX_WAITING = 64 * 1024 * 1024;
/** How long to wait for the reason of an end that a failed write has shown. */
const END_MS = 1000;
/** The minimum cost of a message, in characters. */
const MESSAGE_COST = 256;

/** How most responses begin. */
const ANSWER = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,\s*"(?:result|error)"/;

/** A transport that may send headers with a message, and get access for it. */
interface Pipe extends Omit<Transport, 'send'> {
  send(text: string, headers?: Headers, clock?: Clock): Awaitable<void>;
}

/**
 * A wire over a two-way pipe: all requests share it, and responses are matched by id. Text that is not a message, and
 * responses to no request, are ignored: servers print all sorts of things to standard output.
 */
export function openDuplex(transport: Pipe, signs?: Signs): OpenWire {
  return async (receive, closed, signal) => {
    const wire = new DuplexWire(transport, receive, closed, signs);
    const ignoreSignal = signal && onAbort(signal, () => wire.abandon());
    try {
      await wire.start();
      return wire;
    } catch (error) {
      wire.abandon();
      throw error;
    } finally {
      ignoreSignal?.();
    }
  };
}

class DuplexWire implements Wire {
  readonly hasHeaders = false;
  readonly disconnectCancels = false;
  readonly signs: Signs | undefined;
  readonly #transport: Pipe;
  readonly #receive: Receive;
  readonly #closed: (reason?: Error) => void;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #pace = new Pace();
  /** Messages that arrived while an earlier one was still being parsed, in order. */
  readonly #waiting: string[] = [];
  #waitingSize = 0;
  /** How many characters the transport has taken and not yet sent. */
  #unsent = 0;
  #reading: Promise<void> | undefined;
  #lost: Error | undefined;

  constructor(transport: Pipe, receive: Receive, closed: (reason?: Error) => void, signs: Signs | undefined) {
    this.#transport = transport;
    this.#receive = receive;
    this.#closed = closed;
    this.signs = signs;
  }

  start(): Promise<void> {
    return this.#transport.start(
      text => this.#take(text),
      reason => {
        // The last message may be a response, so it is read before the pending requests fail.
        void andThen(this.#reading, () => {
          this.#lose(reason ?? new ConnectionError('the server closed the connection'));
          this.#closed(reason);
        });
      },
    );
  }

  request({ id, method, params }: Outgoing, headers?: Headers): Sent<Response> {
    const response = new Promise<Response>((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#send(requestText(id, method, params), headers).catch(error => this.#failToSend(id, error));
    });
    return { response, abandon: () => void this.#pending.delete(id) };
  }

  post(text: string, headers?: Headers, clock?: Clock): Sent<void> {
    return { response: this.#send(text, headers, clock), abandon() {} };
  }

  async close(reason?: Error): Promise<void> {
    this.#lose(reason ?? new ConnectionError('the client was closed'));
    await this.#transport.close();
  }

  async #send(text: string, headers?: Headers, clock?: Clock): Promise<void> {
    if (this.#lost) throw this.#lost;
    if (this.#unsent > 0 && this.#unsent + text.length > MAX_UNSENT) {
      throw new ConnectionError(
        'this message was not sent: the server does not read, and too much waits for it already; try again later',
        { hadNoEffect: true },
      );
    }
    this.#unsent += text.length;
    try {
      await this.#transport.send(text, headers, clock);
    } finally {
      this.#unsent -= text.length;
    }
  }

  /** Fails a request that could not be sent. If the server has ended, the reason for that follows soon, and says more. */
  #failToSend(id: RequestId, error: unknown): void {
    const fail = () => {
      this.#pending.get(id)?.reject(error as Error);
      this.#pending.delete(id);
    };
    const mayHaveEnded = isBroken(error) && !(error as ConnectionError).hadNoEffect;
    if (mayHaveEnded && !this.#lost) setTimeout(fail, END_MS);
    else fail();
  }

  /** Closes a connection that is not open yet. */
  abandon(): void {
    this.close().catch(() => {});
  }

  /** Takes a message when all earlier ones are read. The transport should wait for the promise before the next one. */
  #take(text: string): Awaitable<void> {
    if (this.#lost) return;
    if (this.#reading) {
      this.#waiting.push(text);
      this.#waitingSize += text.length;
      if (this.#waitingSize > MAX_WAITING) {
        this.#lose(new InvalidAnswer('the server sends more than can be read'));
        this.abandon();
      }
    } else this.#reading = this.#read(text)?.then(() => this.#readOn());
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    for (let text = this.#waiting.shift(); text !== undefined; text = this.#waiting.shift()) {
      this.#waitingSize -= text.length;
      await this.#read(text);
    }
    this.#reading = undefined;
  }

  #read(text: string): Promise<void> | undefined {
    return settle(
      () => parseMessages(text, () => this.#lost !== undefined),
      items => {
        this.#sort(items);
        return this.#pace.spend(MESSAGE_COST + text.length);
      },
      () => {
        this.#refuseText(text);
        return this.#pace.spend(MESSAGE_COST + text.length);
      },
    ) as Promise<void> | undefined;
  }

  #sort(items: readonly unknown[]): void {
    for (const item of items) {
      const message = readMessage(item);
      if (message.kind === 'malformed') this.#refuse(item, message);
      else if (message.kind === 'response') this.#settle(message);
      else this.#receive(message);
    }
  }

  #settle(response: Response): void {
    const pending = response.id === undefined ? undefined : this.#pending.get(response.id);
    if (!pending) return;
    this.#pending.delete(response.id as RequestId);
    pending.resolve(response);
  }

  /** Handles an item that is not a message: it was meant as a response, or as a request, or it is ignored. */
  #refuse(item: unknown, malformed: Malformed): void {
    const isResponse = isObject(item) && item.method === undefined && this.#pending.has(item.id as RequestId);
    if (isResponse) this.#fail(item.id as RequestId, malformed.error.message);
    else if (malformed.id !== undefined) this.#receive(malformed);
  }

  /** Fails a request whose response is malformed: no other one will come. */
  #fail(id: RequestId, problem: string): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.reject(new InvalidAnswer(`the answer to ${pending.method} is malformed: ${problem}`));
  }

  /** Handles text that is not JSON, or is too large. Its beginning shows whether it was meant as a response. */
  #refuseText(text: string): void {
    const [, id] = ANSWER.exec(text) ?? [];
    if (id !== undefined) this.#fail(Number(id), 'it is not JSON, or exceeds a limit');
  }

  #lose(reason: Error): void {
    this.#lost ??= reason;
    this.#waiting.length = 0;
    for (const { reject } of this.#pending.values()) reject(this.#lost);
    this.#pending.clear();
  }
}

import { connect, type Socket } from 'node:net';
import { checkAnswer, type Expectation } from './answer.js';
import { findId, type PreparedRequest, writeId } from './request.js';
import { type ResponseHead, ResponseReader } from './response-reader.js';

/** The state that the connections of one run share. */
export interface Run {
  expectation: Expectation;
  nextId(): number;
  onAnswer(milliseconds: number): void;
  onFault(error: Error): void;
}

// libuv reads and calls back in the same turn of the event loop, so all sockets can read into the same memory.
const readBuffer = Buffer.allocUnsafe(256 * 1024);

/** One keep-alive connection with one request in flight. It sends its requests one after another. */
export class Connection {
  #run: Run;
  #requests: PreparedRequest[];
  #socket: Socket;
  #turn = 0;
  #id = 0;
  #sentAt = 0;
  #known: { bytes: Buffer; idAt: number } | undefined;
  #stopped: (() => void) | undefined;

  constructor(url: URL, requests: PreparedRequest[], run: Run) {
    this.#run = run;
    this.#requests = requests;
    const reader = new ResponseReader((head, body, length) => this.#receive(head, body, length));
    const callback = (count: number): boolean => {
      this.#guard(() => reader.push(readBuffer.subarray(0, count)));
      return true;
    };
    const address = { host: url.hostname, port: Number(url.port), noDelay: true };
    this.#socket = connect({ ...address, onread: { buffer: readBuffer, callback } });
    this.#socket.on('connect', () => this.#send());
    this.#socket.on('error', error => run.onFault(error));
    this.#socket.on('close', () => {
      if (this.#stopped === undefined) run.onFault(new Error('it closed the connection'));
    });
  }

  /** Closes the connection once the request in flight has been answered. */
  stop(): Promise<void> {
    return new Promise(resolve => {
      this.#stopped = resolve;
    });
  }

  #send(): void {
    const request = this.#requests[this.#turn]!;
    this.#turn = (this.#turn + 1) % this.#requests.length;
    this.#id = this.#run.nextId();
    writeId(request.bytes, request.idAt, this.#id);
    this.#sentAt = performance.now();
    this.#socket.write(request.bytes);
  }

  #receive(head: ResponseHead, body: Buffer, length: number): void {
    this.#run.onAnswer(performance.now() - this.#sentAt);
    if (head.status !== 200)
      throw new Error(`it answered ${head.status}: ${body.toString('utf8', 0, length)}`);
    if (!this.#isKnown(body, length)) this.#learn(head, body.subarray(0, length));
    if (this.#stopped === undefined) {
      this.#send();
    } else {
      this.#socket.destroy();
      this.#stopped();
    }
  }

  /** Whether the answer has the right id and equals an earlier, fully checked answer in all other bytes. */
  #isKnown(body: Buffer, length: number): boolean {
    const known = this.#known;
    if (known === undefined || known.bytes.length !== length) return false;
    writeId(known.bytes, known.idAt, this.#id);
    return body.compare(known.bytes, 0, length, 0, length) === 0;
  }

  #learn(head: ResponseHead, body: Buffer): void {
    checkAnswer(body.toString(), head.contentType, this.#id, this.#run.expectation);
    const idAt = findId(body, this.#id);
    this.#known = idAt === -1 ? undefined : { bytes: Buffer.from(body), idAt };
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#socket.destroy();
      this.#run.onFault(error as Error);
    }
  }
}

import type { Command } from 'tenon/client';
import { LATEST_REVISION } from 'tenon/protocol';
import { DISCOVER, envelopeRequest, initializeRequest } from '../opening.js';
import { type Reply, Run } from './run.js';

/** How a program answered the first request after it was started. */
export interface Opening {
  readonly method: string;
  readonly revision: string;
  readonly reply: Reply;
  readonly run: Run;
  /** The revision that the server answered `initialize` with. */
  readonly agreed: string | undefined;
}

/** A server that is a program, and what is known about it. */
export class ProgramSubject {
  readonly command: Command;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  openings: Opening[] = [];
  /** The revisions that the server speaks, newest first. */
  spoken: string[] = [];
  readonly #running = new Set<Run>();

  constructor(command: Command, limitMs: number, signal: AbortSignal) {
    this.command = command;
    this.limitMs = limitMs;
    this.signal = signal;
  }

  get runs(): Run[] {
    return this.openings.map(({ run }) => run);
  }

  /** The answer to `server/discover`. */
  get discovery(): Opening | undefined {
    return this.openings.find(({ method }) => method === DISCOVER);
  }

  discover(): Promise<Opening> {
    return this.#open(DISCOVER, LATEST_REVISION);
  }

  greet(revision: string): Promise<Opening> {
    return this.#open('initialize', revision);
  }

  /** Starts the program for one request, so that no request spoils the next. */
  async #open(method: string, revision: string): Promise<Opening> {
    const run = new Run(this.command);
    this.#running.add(run);
    const message = method === DISCOVER ? envelopeRequest(revision) : initializeRequest(revision);
    const reply = await run.ask(message, this.limitMs, this.signal);
    const agreed = reply.answer?.result?.protocolVersion;
    await this.#end(run);
    const opening = {
      method,
      revision,
      reply,
      run,
      agreed: method === 'initialize' && typeof agreed === 'string' ? agreed : undefined,
    };
    this.openings.push(opening);
    return opening;
  }

  async #end(run: Run): Promise<void> {
    await run.close();
    this.#running.delete(run);
  }

  /** Ends the programs that still run, after an interruption. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map(run => this.#end(run)));
  }
}

import type { ServerDescription } from 'tenon/client';
import { type ClientCapabilities, META, readDiscoverResult } from 'tenon/protocol';
import type { TraceEntry } from '../trace/entry.js';
import { Pairing } from '../trace/pairing.js';
import type { RecordedEntry } from './read-trace.js';

export type Members = Readonly<Record<string, unknown>>;

/** How a request ended. */
export type ScriptOutcome = { readonly result: unknown } | { readonly error: unknown };

/** A question of the server to the client, and the client's answer if there was one. */
export interface Question {
  readonly method: string;
  readonly params: Members;
  answer?: ScriptOutcome;
}

/** A request of the client, with all rounds that it took. */
export interface ScriptStep {
  readonly kind: 'request';
  readonly line: number;
  readonly method: string;
  readonly params: Members;
  outcome?: ScriptOutcome;
  /** The line of its last response. */
  answeredAt?: number;
}

/** What the client does, in its order. */
export type Action =
  | ScriptStep
  | {
      readonly kind: 'notification';
      readonly line: number;
      readonly method: string;
      readonly params: Members;
    }
  | { readonly kind: 'cancel'; readonly line: number; readonly step: ScriptStep };

/** The client's side of a recording. */
export interface Script {
  readonly actions: readonly Action[];
  readonly questions: readonly Question[];
  revision?: string;
  capabilities: ClientCapabilities;
  server?: ServerDescription;
}

/** Reads from a recording what its clients did. */
export function readScript(entries: readonly RecordedEntry[]): Script {
  const reader = new ScriptReader();
  for (const entry of entries) reader.take(entry);
  return reader.script;
}

class ScriptReader {
  readonly #actions: Action[] = [];
  readonly #questions: Question[] = [];
  readonly script: Script = {
    actions: this.#actions,
    questions: this.#questions,
    capabilities: {},
  };
  readonly #requests = new Pairing();
  readonly #steps = new Map<TraceEntry, ScriptStep>();
  readonly #asked = new Map<TraceEntry, Question>();
  /** Questions of a round, by the step that waits for their answers. */
  readonly #held = new Map<ScriptStep, Map<string, Question>>();

  take(entry: RecordedEntry): void {
    const { message, from } = entry;
    if (!message) return this.#takeEnd(entry);
    const { id, method } = message;
    const params = members(message.params);
    if (typeof method !== 'string') return this.#takeResponse(entry, message);
    if (id !== undefined) this.#requests.add(entry);
    if (from === 'client') this.#takeClient(entry, id, method, params);
    else if (id !== undefined) this.#ask(entry, method, params);
  }

  #takeClient(entry: RecordedEntry, id: unknown, method: string, params: Members): void {
    this.#readFacts(method, params);
    const { line } = entry;
    if (id !== undefined) return this.#begin(entry, method, params);
    if (method !== 'notifications/cancelled') {
      this.#actions.push({ kind: 'notification', line, method, params });
      return;
    }
    const steps = [...this.#steps].filter(([{ message }]) => message?.id === params.requestId);
    this.#cancel(line, steps.at(-1)?.[1]);
  }

  /** The next round of a request continues its step. */
  #begin(entry: RecordedEntry, method: string, params: Members): void {
    const { inputResponses, requestState, ...rest } = params;
    const isRound = inputResponses !== undefined || requestState !== undefined;
    const step = isRound ? this.#findHeld(method, rest) : undefined;
    if (step) {
      for (const [name, result] of Object.entries(members(inputResponses))) {
        const question = this.#held.get(step)?.get(name);
        if (question) question.answer = { result };
      }
      this.#held.delete(step);
      this.#steps.set(entry, step);
      return;
    }
    const begun: ScriptStep = { kind: 'request', line: entry.line, method, params };
    this.#steps.set(entry, begun);
    this.#actions.push(begun);
  }

  #findHeld(method: string, { _meta, ...params }: Members): ScriptStep | undefined {
    const wanted = JSON.stringify(params);
    return [...this.#held.keys()].findLast(step => {
      const { _meta: _, ...own } = step.params;
      return step.method === method && JSON.stringify(own) === wanted;
    });
  }

  #ask(entry: RecordedEntry, method: string, params: Members): void {
    const question: Question = { method, params };
    this.#questions.push(question);
    this.#asked.set(entry, question);
  }

  #takeResponse(entry: RecordedEntry, { result, error }: Members): void {
    const request = this.#requests.take(entry)?.entry;
    if (!request) return;
    const outcome = error === undefined ? { result } : { error };
    const question = this.#asked.get(request);
    if (question) question.answer = outcome;
    const step = this.#steps.get(request);
    if (!step) return;
    step.outcome = outcome;
    step.answeredAt = entry.line;
    this.#hold(step, members(result));
    if (error === undefined) this.#readServer(step.method, members(result));
  }

  #hold(step: ScriptStep, { resultType, inputRequests }: Members): void {
    if (resultType !== 'input_required') return;
    const questions = Object.entries(members(inputRequests)).map(([name, request]): [string, Question] => {
      const { method, params } = members(request);
      return [name, { method: String(method), params: members(params) }];
    });
    this.#questions.push(...questions.map(([, question]) => question));
    this.#held.set(step, new Map(questions));
  }

  /** On HTTP, a client that closes the connection before the response has cancelled the request. */
  #takeEnd({ from, end, exchange, line }: RecordedEntry): void {
    if (end === undefined || from !== 'client' || exchange === undefined) return;
    const steps = [...this.#steps].filter(([entry]) => entry.exchange === exchange);
    this.#cancel(line, steps.at(-1)?.[1]);
  }

  #cancel(line: number, step: ScriptStep | undefined): void {
    if (step && !step.outcome) this.#actions.push({ kind: 'cancel', line, step });
  }

  #readFacts(method: string, params: Members): void {
    const meta = members(params._meta);
    const declared = method === 'initialize' ? params.capabilities : meta[META.clientCapabilities];
    if (declared) this.script.capabilities = members(declared) as ClientCapabilities;
    const revision = meta[META.protocolVersion];
    if (typeof revision === 'string' && method !== 'server/discover') this.script.revision = revision;
  }

  #readServer(method: string, result: Members): void {
    const { protocolVersion, serverInfo, capabilities, instructions } = result;
    if (method === 'initialize') {
      this.script.revision = String(protocolVersion);
      this.script.server = { info: serverInfo, capabilities, instructions } as ServerDescription;
    }
    const discovery = method === 'server/discover' ? readDiscoverResult(result) : undefined;
    if (discovery) {
      const { serverInfo: info, capabilities: offered, instructions: text } = discovery;
      this.script.server = { info, capabilities: offered, instructions: text };
    }
  }
}

export function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

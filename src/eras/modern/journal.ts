import { canonicalText, fingerprint } from '../../protocol/canonical.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';

/** A question that was asked; `a` is its answer once there is one. Short names: it travels with the request. */
export interface QuestionEntry {
  /** What tells this question from others. */
  q: string;
  /** How it begins, for people. */
  l: string;
  a?: InputResponse;
}

/** A step that was run; `d` if it ended well, with its result in `r`. */
export interface StepEntry {
  s: string;
  d?: 1;
  r?: unknown;
}

export type Entry = QuestionEntry | StepEntry;

const LABEL_LENGTH = 40;

/**
 * What a handler has asked and done over all rounds of one request, in order. When it runs again, each
 * question and each step finds its entry from before; what does not fit is an error, never a wrong answer.
 */
export class Journal {
  readonly entries: Entry[];
  readonly #used = new Set<Entry>();

  constructor(entries: readonly Entry[] = []) {
    this.entries = [...entries];
  }

  /** The entry of a question: an earlier one, or a new one without an answer. */
  question(request: InputRequest): QuestionEntry {
    const pin = fingerprint(canonicalText(request));
    const label = labelOf(request);
    const before = this.#waiting((entry): entry is QuestionEntry => 'q' in entry);
    return this.#find(
      before,
      entry => entry.q === pin,
      { q: pin, l: label },
      first => diverged(`asked "${first.l}"`, `asks "${label}"`),
    );
  }

  /** The entry of a step: an earlier one, or a new one that has yet to run. */
  step(name: string): StepEntry {
    const before = this.#waiting((entry): entry is StepEntry => 's' in entry);
    return this.#find(
      before,
      entry => entry.s === name,
      { s: name },
      first => diverged(`ran the step "${first.s}"`, `runs the step "${name}"`),
    );
  }

  /** The name under which a question travels. */
  keyOf(entry: Entry): string {
    return `q${this.entries.indexOf(entry)}`;
  }

  /** Takes answers by the names of their questions. What was never asked, or is answered already, is ignored. */
  answer(responses: ReadonlyMap<string, InputResponse>): void {
    for (const entry of this.entries) {
      if (!('q' in entry) || entry.a !== undefined) continue;
      const response = responses.get(this.keyOf(entry));
      if (response !== undefined) entry.a = response;
    }
  }

  #waiting<E extends Entry>(isKind: (entry: Entry) => entry is E): E[] {
    return this.entries.filter(isKind).filter(entry => !this.#used.has(entry));
  }

  /** Parallel branches may take turns differently from round to round, so the order among equals is enough. */
  #find<E extends Entry>(
    before: E[],
    fits: (entry: E) => boolean,
    fresh: E,
    complain: (first: E) => McpError,
  ): E {
    const [first] = before;
    const entry = before.find(fits) ?? fresh;
    if (first && entry === fresh) throw complain(first);
    if (entry === fresh) this.entries.push(entry);
    this.#used.add(entry);
    return entry;
  }
}

function labelOf(request: InputRequest): string {
  const text = request.method === 'elicitation/create' ? request.params.message : request.method;
  return text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text;
}

function diverged(before: string, now: string): McpError {
  return new McpError(
    ERROR.internal,
    `the handler ${before} in an earlier round, but now ${now} instead: ` +
      'what it asks may only depend on its arguments, earlier answers and the results of ctx.step',
  );
}

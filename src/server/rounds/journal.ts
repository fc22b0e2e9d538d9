import { canonicalText, fingerprint } from '../../base/canonical.js';
import type { JsonSchema } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';

/** A question; `a` is its answer if there is one. The names are short, because the state travels with the request. */
export interface QuestionEntry {
  /** The fingerprint that identifies the question. */
  q: string;
  /** The beginning of its text, for error messages. */
  l: string;
  a?: InputResponse;
}

/** A step; `d` is set if it succeeded, with its result in `r`. */
export interface StepEntry {
  s: string;
  d?: 1;
  r?: unknown;
}

export type JournalEntry = QuestionEntry | StepEntry;

const LABEL_LENGTH = 40;

/**
 * All questions and steps of a handler over all rounds of one request, in order. When the handler runs again, each
 * question and each step finds its earlier entry.
 */
export class Journal {
  readonly entries: JournalEntry[];
  /** The entries of earlier rounds that have not come up in this one yet. */
  readonly #earlier: Set<JournalEntry>;
  /** The entries that are new in this round. */
  readonly #added: JournalEntry[] = [];

  constructor(entries: readonly JournalEntry[] = []) {
    this.entries = [...entries];
    this.#earlier = new Set(entries);
  }

  /** The entry of a question: an earlier one, or a new one without an answer. */
  question(request: InputRequest): QuestionEntry {
    const digest = fingerprintOf(request);
    return this.#find(
      (entry): entry is QuestionEntry => isQuestion(entry) && entry.q === digest,
      () => ({ q: digest, l: labelOf(request) }),
    );
  }

  /** The entry of a step: an earlier one, or a new one that has yet to run. */
  step(name: string): StepEntry {
    return this.#find(
      (entry): entry is StepEntry => isStep(entry) && entry.s === name,
      () => ({ s: name }),
    );
  }

  /** The name of a question on the wire. */
  keyOf(entry: JournalEntry): string {
    return `q${this.entries.indexOf(entry)}`;
  }

  /** Takes answers by the names of their questions. Ignores answers that were not asked for or are there already. */
  answer(responses: ReadonlyMap<string, InputResponse>): void {
    this.entries.forEach((entry, at) => {
      const response = isQuestion(entry) && entry.a === undefined ? responses.get(`q${at}`) : undefined;
      if (response !== undefined) (entry as QuestionEntry).a = trimAnswer(response);
    });
  }

  /** Whether a step is new although earlier steps have not come up yet: it may have replaced one of them. */
  isPremature(entry: StepEntry): boolean {
    return this.#missingStep() !== undefined && this.#added.includes(entry);
  }

  /**
   * The error if the round ended now: a new entry came up instead of an earlier one. While parallel branches are
   * running, the earlier entry may still come up, because their order differs from round to round.
   */
  divergence(): McpError | undefined {
    const asked = [...this.#earlier].find(isQuestion);
    const asks = this.#added.find(isQuestion);
    if (asked && asks) {
      const now = asked.l === asks.l ? 'it with other details' : `"${asks.l}"`;
      return diverged(`asked "${asked.l}"`, `asks ${now}`);
    }
    const ran = this.#missingStep();
    const runs = this.#added.find(isStep);
    return ran && runs && diverged(`ran the step "${ran.s}"`, `runs the step "${runs.s}"`);
  }

  /** A step that ran before and has not come up again. Steps that failed need not come up again. */
  #missingStep(): StepEntry | undefined {
    for (const entry of this.#earlier) if (isStep(entry) && entry.d) return entry;
    return undefined;
  }

  #find<E extends JournalEntry>(fits: (entry: JournalEntry) => entry is E, create: () => E): E {
    for (const entry of this.#earlier) {
      if (!fits(entry)) continue;
      this.#earlier.delete(entry);
      return entry;
    }
    const entry = create();
    this.entries.push(entry);
    this.#added.push(entry);
    return entry;
  }
}

/** Whether this is the name of a question in the journal that has no answer yet. */
export function isOpen(entries: readonly JournalEntry[], name: string): boolean {
  return entries.some((entry, at) => isQuestion(entry) && entry.a === undefined && name === `q${at}`);
}

function isQuestion(entry: JournalEntry): entry is QuestionEntry {
  return 'q' in entry;
}

function isStep(entry: JournalEntry): entry is StepEntry {
  return 's' in entry;
}

/** The part of an answer that has to travel: a form that was not accepted has no content. */
function trimAnswer(response: InputResponse): InputResponse {
  if (!('action' in response)) return response;
  const { action, content } = response;
  return action === 'accept' && content !== undefined ? { action, content } : { action };
}

/** Identifies a question by its content. */
function fingerprintOf({ method, params }: InputRequest): string {
  if (method === 'elicitation/create' && params.mode !== 'url') {
    return fingerprint(`${fingerprintOfForm(params.requestedSchema)} ${params.message}`);
  }
  return fingerprint(method + canonicalText(params ?? {}));
}

/** Cached, because forms are mostly the same objects again and again. */
function fingerprintOfForm(schema: JsonSchema): string {
  let digest = forms.get(schema);
  if (digest === undefined) {
    digest = fingerprint(canonicalText(schema));
    forms.set(schema, digest);
  }
  return digest;
}

const forms = new WeakMap<object, string>();

function labelOf(request: InputRequest): string {
  const text = beginning(request) ?? request.method;
  return text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH - 1)}…` : text;
}

function beginning(request: InputRequest): string | undefined {
  if (request.method === 'elicitation/create') return request.params.message;
  if (request.method !== 'sampling/createMessage') return undefined;
  const blocks = request.params.messages.flatMap(({ content }) => content);
  return blocks.find(block => block.type === 'text')?.text;
}

function diverged(before: string, now: string): McpError {
  return new McpError(
    ERROR.internal,
    `the handler ${before} in an earlier round, but now ${now} instead: ` +
      'its questions and steps may only depend on its arguments, earlier answers and the results of ctx.step',
  );
}

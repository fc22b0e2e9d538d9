import { canonicalText, fingerprint } from '../../base/canonical.js';
import type { JsonSchema } from '../../base/json.js';
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

export type JournalEntry = QuestionEntry | StepEntry;

const LABEL_LENGTH = 40;

/**
 * What a handler has asked and done over all rounds of one request, in order. When it runs again, each
 * question and each step finds its entry from before.
 */
export class Journal {
  readonly entries: JournalEntry[];
  /** What earlier rounds had and this one has not come to yet. */
  readonly #earlier: Set<JournalEntry>;
  /** What no earlier round had. */
  readonly #added: JournalEntry[] = [];

  constructor(entries: readonly JournalEntry[] = []) {
    this.entries = [...entries];
    this.#earlier = new Set(entries);
  }

  /** The entry of a question: an earlier one, or a new one without an answer. */
  question(request: InputRequest): QuestionEntry {
    const pin = pinOf(request);
    return this.#find(
      (entry): entry is QuestionEntry => isQuestion(entry) && entry.q === pin,
      () => ({ q: pin, l: labelOf(request) }),
    );
  }

  /** The entry of a step: an earlier one, or a new one that has yet to run. */
  step(name: string): StepEntry {
    return this.#find(
      (entry): entry is StepEntry => isStep(entry) && entry.s === name,
      () => ({ s: name }),
    );
  }

  /** The name under which a question travels. */
  keyOf(entry: JournalEntry): string {
    return `q${this.entries.indexOf(entry)}`;
  }

  /** Takes answers by the names of their questions. What was never asked, or is answered already, is ignored. */
  answer(responses: ReadonlyMap<string, InputResponse>): void {
    this.entries.forEach((entry, at) => {
      const response = isQuestion(entry) && entry.a === undefined ? responses.get(`q${at}`) : undefined;
      if (response !== undefined) (entry as QuestionEntry).a = essenceOf(response);
    });
  }

  /** Whether a step is new although earlier ones have not come up yet: perhaps it stands in for one of them. */
  isPremature(entry: StepEntry): boolean {
    return this.#missingStep() !== undefined && this.#added.includes(entry);
  }

  /**
   * What is wrong if nothing more comes: something new instead of what earlier rounds had. While parallel
   * branches are on their way this may still come right, since they take turns differently from round to round.
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

  /** A step that was run before and has not come up again. Those that failed may stay away. */
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

/** Whether an answer of this name belongs to a question of the journal that has none yet. */
export function isOpen(entries: readonly JournalEntry[], name: string): boolean {
  return entries.some((entry, at) => isQuestion(entry) && entry.a === undefined && name === `q${at}`);
}

function isQuestion(entry: JournalEntry): entry is QuestionEntry {
  return 'q' in entry;
}

function isStep(entry: JournalEntry): entry is StepEntry {
  return 's' in entry;
}

/** What of an answer has to travel: a form that was not accepted has no content. */
function essenceOf(response: InputResponse): InputResponse {
  if (!('action' in response)) return response;
  const { action, content } = response;
  return action === 'accept' && content !== undefined ? { action, content } : { action };
}

/** Tells questions apart. */
function pinOf({ method, params }: InputRequest): string {
  if (method === 'elicitation/create' && params.mode !== 'url') {
    return fingerprint(`${pinOfForm(params.requestedSchema)} ${params.message}`);
  }
  return fingerprint(method + canonicalText(params ?? {}));
}

/** Forms are mostly the same objects again and again. */
function pinOfForm(schema: JsonSchema): string {
  let pin = forms.get(schema);
  if (pin === undefined) {
    pin = fingerprint(canonicalText(schema));
    forms.set(schema, pin);
  }
  return pin;
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
      'what it asks may only depend on its arguments, earlier answers and the results of ctx.step',
  );
}

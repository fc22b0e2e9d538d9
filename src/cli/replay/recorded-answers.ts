import type { AnswerOptions, CreateMessageResult, ElicitResult, Root } from 'tenon/client';
import { McpError } from 'tenon/client';
import { compare, type Difference } from './compare.js';
import { type Members, members, type Question, type Script } from './script.js';

/** Answers the questions of the server as they were answered in the recording, and notes those that differ. */
export class RecordedAnswers {
  readonly #open: Question[];
  readonly #isIgnored: (path: string) => boolean;
  readonly #found: (method: string, differences: Difference[]) => void;

  constructor(
    script: Script,
    isIgnored: (path: string) => boolean,
    found: (method: string, differences: Difference[]) => void,
  ) {
    this.#open = [...script.questions];
    this.#isIgnored = isIgnored;
    this.#found = found;
  }

  /** Handlers for what the recorded client declared; a server asks nothing else. */
  handlers({ capabilities: { elicitation, sampling, roots } }: Script): AnswerOptions {
    const form = members(elicitation);
    const takesForms = elicitation !== undefined && (form.form !== undefined || form.url === undefined);
    const elicit = (params: object) =>
      this.#answer<ElicitResult>('elicitation/create', params, { action: 'cancel' });
    return {
      ...(takesForms && { onElicit: elicit }),
      ...(form.url !== undefined && { onElicitUrl: elicit }),
      ...(sampling && {
        onSample: (params: object) => this.#answer<CreateMessageResult>('sampling/createMessage', params),
      }),
      ...(roots && {
        roots: () => this.#answer<{ roots: Root[] }>('roots/list', {}, { roots: [] }).roots,
      }),
    };
  }

  /** Notes the questions that were answered in the recording, and were not asked this time. */
  close(): void {
    for (const { method, params, answer } of this.#open) {
      if (answer) this.#found(method, [{ path: '$', recorded: params }]);
    }
  }

  #answer<A extends object>(method: string, params: object, otherwise?: A): A {
    const question = this.#find(method, params);
    if (!question) this.#found(method, [{ path: '$', now: params }]);
    else if (method !== 'roots/list') {
      const differences = compare({ params: question.params }, { params }, this.#isIgnored);
      if (differences.length > 0) this.#found(method, differences);
    }
    const { answer } = question ?? {};
    if (answer && 'result' in answer) return answer.result as A;
    if (answer) {
      const { code, message } = members(answer.error);
      throw new McpError(Number(code), String(message));
    }
    if (otherwise) return otherwise;
    throw new McpError(-1, 'the recording has no answer to this question');
  }

  /** The same question if it was recorded, or else the next one of its kind. */
  #find(method: string, params: object): Question | undefined {
    const ofKind = this.#open.filter(one => one.method === method);
    const same = ofKind.find(one => isSame(one.params, params));
    const found = same ?? ofKind[0];
    if (found) this.#open.splice(this.#open.indexOf(found), 1);
    return found;
  }
}

function isSame(recorded: Members, now: object): boolean {
  return compare(recorded, now, () => false).length === 0;
}

import { randomUUID } from 'node:crypto';
import { McpError, type QuestionContext } from 'tenon/client';
import type { PageQuestion, QuestionAnswer } from './api.js';

/** A question that waits for the user. */
interface OpenQuestion {
  readonly question: PageQuestion;
  answer(answer: QuestionAnswer): void;
}

export interface QuestionEvents {
  onAsked(question: PageQuestion): void;
  onClosed(id: string): void;
}

/** The code of a refusal by the user: https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
const REFUSED = -1;

/** The questions of a server that wait for the user. */
export class OpenQuestions {
  readonly #events: QuestionEvents;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(events: QuestionEvents) {
    this.#events = events;
  }

  /** Puts a question to the user. Resolves with the answer. */
  ask<A>(asked: Omit<PageQuestion, 'id'>, { signal }: QuestionContext): Promise<A> {
    const question = { ...asked, id: randomUUID() };
    return new Promise<A>((resolve, reject) => {
      const close = () => {
        this.#open.delete(question.id);
        signal.removeEventListener('abort', giveUp);
        this.#events.onClosed(question.id);
      };
      const giveUp = () => {
        close();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp);
      this.#open.set(question.id, {
        question,
        answer(answer) {
          close();
          if ('result' in answer) resolve(answer.result as A);
          else reject(new McpError(REFUSED, 'The user refused'));
        },
      });
      this.#events.onAsked(question);
    });
  }

  /** Answers a question, if it is one of these. */
  answer(id: string, answer: QuestionAnswer): void {
    this.#open.get(id)?.answer(answer);
  }

  [Symbol.iterator](): Iterator<PageQuestion> {
    return [...this.#open.values()].map(({ question }) => question).values();
  }
}

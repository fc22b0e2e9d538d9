import { createStore } from 'solid-js/store';
import type { PageQuestion, QuestionAnswer } from '../../api.js';
import { command } from '../backend.js';

/** A question that waits for the user, and the connection it came on. */
export interface WaitingQuestion extends PageQuestion {
  readonly connection: string;
}

const [questions, setQuestions] = createStore<WaitingQuestion[]>([]);

export { questions };

export function noteQuestion(connection: string, question: PageQuestion): void {
  setQuestions(all => [...all.filter(({ id }) => id !== question.id), { ...question, connection }]);
}

export function noteAnswered(id: string): void {
  setQuestions(all => all.filter(question => question.id !== id));
}

/** None of the questions can be answered any more, because the process is gone. */
export function dropQuestions(): void {
  setQuestions([]);
}

export async function answer({ id }: WaitingQuestion, answer: QuestionAnswer): Promise<void> {
  await command('answer', { id, answer });
  noteAnswered(id);
}

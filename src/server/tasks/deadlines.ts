import type { InputRequest } from '../../protocol/input.js';
import { withAnswers } from './answers.js';
import type { Deadline, TaskRecord } from './record.js';
import { Refusal } from './refusal.js';

/** When questions expire that have a time limit, by their keys. */
export function deadlinesOf(
  questions: Readonly<Record<string, InputRequest>>,
  timeoutOf: (question: InputRequest) => number | undefined,
): Readonly<Record<string, Deadline>> {
  const deadlines: Record<string, Deadline> = {};
  for (const [key, question] of Object.entries(questions)) {
    const timeoutMs = timeoutOf(question);
    if (timeoutMs !== undefined) deadlines[key] = { timeoutMs, at: Date.now() + timeoutMs };
  }
  return deadlines;
}

/** The time until the next open question of a task expires; undefined if none does. */
export function msUntilExpiry({ state, run }: TaskRecord): number | undefined {
  const open = Object.keys(state.questions ?? {}).flatMap(key => run.deadlines?.[key] ?? []);
  return open.length === 0 ? undefined : Math.max(Math.min(...open.map(({ at }) => at)) - Date.now(), 0);
}

/** The record of a task whose expired questions are answered with that; the same one if there are none. */
export function withExpiry(record: TaskRecord): TaskRecord {
  const { state, run } = record;
  const expired = Object.entries(state.questions ?? {}).flatMap(([key, { method }]) => {
    const deadline = run.deadlines?.[key];
    if (!deadline || deadline.at > Date.now()) return [];
    return [[key, Refusal.late(method, deadline.timeoutMs)] as const];
  });
  return withAnswers(record, new Map(expired)) ?? record;
}

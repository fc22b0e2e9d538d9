import { clip } from '../base/clip.js';

/** A way in which a value does not fit its schema. */
export interface Problem {
  readonly text: string;
  /** The names and indexes that lead to the value, innermost first. */
  readonly path: (string | number)[];
}

const MAX_NAME = 60;
const MAX_NAMES = 20;

/** A number of things: `1 item`, `2 items`. */
export function some(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function problem(text: string): Problem {
  return { text, path: [] };
}

/** Turns a problem of a member into a problem of the whole value. */
export function within(step: string | number, found: Problem | undefined): Problem | undefined {
  found?.path.push(step);
  return found;
}

/** A problem in words: `party.guests must be at least 1`. */
export function describeProblem({ text, path }: Problem): string {
  if (path.length === 0) return text;
  const names = path.slice(0, MAX_NAMES).map(step => clip(String(step), MAX_NAME));
  if (path.length > MAX_NAMES) names.push('…');
  return `${names.reverse().join('.')} ${text}`;
}

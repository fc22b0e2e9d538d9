import { createSignal, type Signal } from 'solid-js';
import type { Subject } from '../place.js';

const drafts = new Map<string, Signal<unknown>>();

/** The values that the user filled in for a subject; they stay while the user looks at others. */
export function draftOf({ kind, name }: Subject, initial: () => unknown): Signal<unknown> {
  const key = `${kind} ${name}`;
  const known = drafts.get(key);
  if (known) return known;
  const draft = createSignal<unknown>(initial());
  drafts.set(key, draft);
  return draft;
}

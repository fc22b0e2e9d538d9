import type { Passed } from './entry.js';

const MAX_TEXT = 2000;

/** The messages in a JSON document: one, several in a batch, or none. */
export function readMessages(text: string): Pick<Passed, 'message' | 'text'>[] {
  if (text.trim() === '') return [];
  const value = parse(text);
  const list = Array.isArray(value) && value.length > 0 ? value : [value];
  return list.every(isMessage) ? list.map(message => ({ message })) : [{ text: beginning(text) }];
}

/** As much of a text as a trace keeps of what is no message. */
export function beginning(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MAX_TEXT ? `${trimmed.slice(0, MAX_TEXT)}…` : trimmed;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return 'method' in value || ('id' in value && ('result' in value || 'error' in value));
}

import { isJson } from '../../base/json.js';
import type { LogLevel } from '../../protocol/logging.js';

/** A session with the state that its id does not carry. */
export interface StatefulSession {
  logLevel: LogLevel | undefined;
  readonly values: Map<string, unknown>;
  /** The values, if there are any. */
  readonly ownValues: ReadonlyMap<string, unknown> | undefined;
  readonly subscriptions: Iterable<string> | undefined;
  subscribe(uri: string): void;
  unsubscribe(uri: string): void;
  /** The pages that the user has to visit. */
  openPages: Set<string> | undefined;
}

/** The state of a session, each part under a name of its own, so that nodes can change different parts at once. */
export type SessionState = Readonly<Record<string, unknown>>;

const LEVEL = 'level';
const VALUE = 'value ';
const SUBSCRIPTION = 'subscription ';
const PAGE = 'page ';

/** The state of a session as JSON. `onLocal` is called with the name of each value that JSON cannot carry. */
export function readSessionState(session: StatefulSession, onLocal: (name: string) => void): SessionState {
  const state: Record<string, unknown> = {};
  if (session.logLevel !== undefined) state[LEVEL] = session.logLevel;
  for (const uri of session.subscriptions ?? []) state[SUBSCRIPTION + uri] = true;
  for (const id of session.openPages ?? []) state[PAGE + id] = true;
  for (const [name, value] of session.ownValues ?? []) {
    if (isJson(value)) state[VALUE + name] = value;
    else onLocal(name);
  }
  // A copy: handlers go on changing the values.
  return JSON.parse(JSON.stringify(state));
}

/** Changes a session from one state to another. */
export function writeState(session: StatefulSession, from: SessionState, to: SessionState): void {
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (isSame(from[name], to[name])) continue;
    const value = to[name];
    if (name === LEVEL) session.logLevel = value as LogLevel | undefined;
    else if (name.startsWith(VALUE)) writeValue(session, name.slice(VALUE.length), value);
    else if (name.startsWith(PAGE)) writePage(session, name.slice(PAGE.length), value !== undefined);
    else if (value === undefined) session.unsubscribe(name.slice(SUBSCRIPTION.length));
    else session.subscribe(name.slice(SUBSCRIPTION.length));
  }
}

/** The parts that changed here since `base`, and the others as they are elsewhere. */
export function mergeStates(base: SessionState, here: SessionState, elsewhere: SessionState): SessionState {
  const merged: Record<string, unknown> = { ...elsewhere };
  for (const name of new Set([...Object.keys(base), ...Object.keys(here)])) {
    if (isSame(base[name], here[name])) continue;
    if (here[name] === undefined) delete merged[name];
    else merged[name] = here[name];
  }
  return merged;
}

/** Whether two states, or two values, are the same JSON. */
export function isSame(first: unknown, second: unknown): boolean {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}

/** Whether the author keeps values in a session. They may change with every request. */
export function hasValues(state: SessionState): boolean {
  return Object.keys(state).some(name => name.startsWith(VALUE));
}

/** Whether a change is one that nodes see with the next request by themselves: of values, where there were some before. */
export function isReadAlways(from: SessionState, to: SessionState): boolean {
  const names = [...Object.keys(from), ...Object.keys(to)];
  return hasValues(from) && names.every(name => name.startsWith(VALUE) || isSame(from[name], to[name]));
}

function writeValue({ values }: StatefulSession, name: string, value: unknown): void {
  if (value === undefined) values.delete(name);
  else values.set(name, value);
}

function writePage(session: StatefulSession, id: string, isOpen: boolean): void {
  session.openPages ??= new Set();
  if (isOpen) session.openPages.add(id);
  else session.openPages.delete(id);
}

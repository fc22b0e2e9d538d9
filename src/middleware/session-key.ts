import type { Session } from '../server/index.js';

/** Numbers for sessions without an id: those of pipes, which have one session each. */
const NUMBERS = new WeakMap<Session, number>();
let last = 0;

/** What tells sessions apart; null without one. */
export function sessionKey(session: Session | undefined): string | number | null {
  if (!session) return null;
  if (session.id !== undefined) return session.id;
  const number = NUMBERS.get(session) ?? ++last;
  NUMBERS.set(session, number);
  return number;
}

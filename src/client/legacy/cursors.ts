import type { JsonObject } from '../../base/json.js';
import { invalidParams } from '../../protocol/errors.js';
import type { Deadline } from '../deadline.js';

/** The session in which each list is read. All pages of a list share a deadline. */
const sessions = new WeakMap<Deadline, object>();

/**
 * Throws if the cursor of a request is from a session that is over, so that the list begins again.
 * @see https://modelcontextprotocol.io/specification/2025-06-18/server/utilities/pagination#implementation-guidelines
 */
export function checkCursor(params: JsonObject, deadline: Deadline | undefined, session: object): void {
  if (!deadline) return;
  const known = sessions.get(deadline);
  if (params.cursor === undefined || !known) sessions.set(deadline, session);
  else if (known !== session)
    throw invalidParams('the cursor is from a session that is over; list again from the beginning');
}

import type { MiddlewareCall } from '../middleware.js';
import type { TaskRequest } from './record.js';

/** The part of a call that a task needs. What belongs to its rounds is in the journal. */
export function toRequest(call: MiddlewareCall): TaskRequest {
  const { params, revision, client, caller, meta } = call;
  const { _meta, task, inputResponses, requestState, ...own } = params;
  return { params: own, meta, revision, client, caller };
}

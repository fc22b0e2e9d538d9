import type { JsonObject } from '../base/json.js';
import type { CallOptions } from './call-options.js';
import type { Deadline } from './deadline.js';

/** A request as the client's user began it; it may take several rounds, and so several messages. */
export interface OutgoingCall {
  method: string;
  params: JsonObject;
  options: CallOptions;
  /** The time by which all rounds and messages of the call must be done. */
  deadline: Deadline;
  /** The parameters of the latest message, which middleware may have changed; undefined if none was sent. */
  sent: { params?: JsonObject };
}

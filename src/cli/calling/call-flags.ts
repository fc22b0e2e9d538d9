import type { ConnectionFlags } from '../connection.js';

/** The values of the options of `tenon call`. */
export interface CallFlags extends ConnectionFlags {
  readonly arg?: readonly string[];
  readonly args?: string;
  readonly answer?: readonly string[];
  readonly sample?: string;
  readonly root?: readonly string[];
  readonly log?: string;
  readonly save?: string;
  readonly task?: boolean;
  readonly help?: boolean;
}

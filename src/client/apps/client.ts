import type { JsonObject } from '../../base/json.js';
import type { Resource } from '../../protocol/resources.js';
import type { Tool } from '../../protocol/tools.js';

/** The part of a client that apps need. Every `Client` has it; a host whose client is elsewhere can write its own. */
export interface AppClient {
  /** All tools of the server. */
  tools(): Promise<Tool[]>;
  /** All resources that the server lists. */
  resources(): Promise<Resource[]>;
  request(method: string, params: object, options: { signal?: AbortSignal | undefined }): Promise<JsonObject>;
}

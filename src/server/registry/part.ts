import type { complete, readCompletionRequest } from './completion.js';
import type { ResourceList } from './resource-list.js';

/** The part of the registry that is loaded on demand: members of templates, and completion. */
export interface RegistryPart {
  ResourceList: typeof ResourceList;
  readCompletionRequest: typeof readCompletionRequest;
  complete: typeof complete;
}

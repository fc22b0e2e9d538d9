import { isObject } from '../base/json.js';

/** Whether a value has the members of a root. */
export function isRoot(root: unknown): boolean {
  return (
    isObject(root) &&
    typeof root.uri === 'string' &&
    (root.name === undefined || typeof root.name === 'string')
  );
}

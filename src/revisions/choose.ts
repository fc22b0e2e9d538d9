import { UsageError } from '../base/errors.js';
import { quoteBriefly } from '../base/json.js';
import { findRevision, REVISIONS, type Revision } from './index.js';

/** The revisions of these names, newest first; all if there is no list. Throws if one is unknown, or the list is empty. */
export function chooseRevisions(names: readonly string[] | undefined): readonly Revision[] {
  if (names === undefined) return REVISIONS;
  const known = REVISIONS.map(({ name }) => name).join(', ');
  if (!Array.isArray(names) || names.length === 0)
    throw new UsageError(`revisions must be a list with at least one of ${known}`);
  const wrong = names.find(name => !findRevision(name));
  if (wrong !== undefined)
    throw new UsageError(
      `there is no revision ${typeof wrong === 'string' ? wrong : quoteBriefly(wrong)}; known are ${known}`,
    );
  return REVISIONS.filter(({ name }) => names.includes(name));
}

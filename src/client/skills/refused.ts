import { TenonError } from '../../base/errors.js';

/**
 * A skill must not be used: a file is not what the entry says, is not listed in it, or the skill is too large or
 * malformed. Nothing of it was kept. If the server has changed the skill, `getSkill` has the new entry; ask the user again
 * before you load that.
 *
 * @example
 * try {
 *   await openSkill(client, skill);
 * } catch (error) {
 *   if (error instanceof SkillRefused) console.error('not loaded:', error.message);
 * }
 */
export class SkillRefused extends TenonError {
  override readonly name = 'SkillRefused';
  override readonly kind = 'skill-refused';
}

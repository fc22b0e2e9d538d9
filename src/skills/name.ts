import { quoteBriefly } from '../base/json.js';
import { MAX_SKILL_NAME } from './limits.js';

const NAME = /^[a-z\d]+(?:-[a-z\d]+)*$/;

/**
 * Why a skill cannot have this name; undefined if it can.
 * @see https://agentskills.io/specification#name-field
 */
export function nameProblem(name: string): string | undefined {
  if (name.length > MAX_SKILL_NAME)
    return `the name has ${name.length} characters, and ${MAX_SKILL_NAME} are allowed`;
  if (NAME.test(name)) return undefined;
  return `the name ${quoteBriefly(name)} is not allowed: use lowercase letters, digits and single hyphens between them`;
}

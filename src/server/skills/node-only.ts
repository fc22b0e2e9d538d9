import { UsageError } from '../../base/errors.js';
import type { Skill } from '../../skills/skill.js';
import type { SkillProblem } from './skills.js';

/** The skills of a folder that can be served, and those that cannot. */
export interface SkillFolderReport {
  skills: Skill[];
  problems: SkillProblem[];
}

/**
 * Looks at a folder of skills as `skills` does, without serving it: for tests and checks before a release. Node only.
 *
 * @example
 * const { problems } = await checkSkillFolder('./skills');
 * for (const { path, problem } of problems) console.error(`${path}: ${problem}`);
 */
export async function checkSkillFolder(_folder: string): Promise<SkillFolderReport> {
  throw new UsageError('checkSkillFolder works on Node only');
}

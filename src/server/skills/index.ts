import { UsageError } from '../../base/errors.js';
import type { Extension } from '../extension.js';
import type { SkillProvider } from './provider.js';
import { type SkillsOptions, serveSkills } from './skills.js';

export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export { describeSkill } from '../../skills/describe.js';
export type { Skill, SkillFrontmatter, SkillResource } from '../../skills/skill.js';
export { checkSkillFolder, type SkillFolderReport } from './node-only.js';
export type { DirectoryPage, SkillPage, SkillProvider } from './provider.js';
export type { SkillProblem, SkillsOptions } from './skills.js';

/**
 * Serves skills: those of a folder, on Node, or those of a provider. A folder is watched, and clients hear of changes.
 *
 * @example
 * const server = new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills('./skills')] });
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export function skills(source: string | SkillProvider, options?: SkillsOptions): Extension {
  if (typeof source === 'string')
    throw new UsageError(
      'skills reads a folder on Node only; here it needs a provider with list, get and read',
    );
  return serveSkills(source, options);
}

import '../../node-version.js';

import type { Extension } from '../../../server/extension.js';
import type { SkillProvider } from '../../../server/skills/provider.js';
import { type SkillsOptions, serveSkills } from '../../../server/skills/skills.js';
import { SkillFolder } from './folder.js';

export { describeSkill, TenonError, UsageError } from '../../../server/skills/index.js';
export { checkSkillFolder } from './folder.js';

/**
 * Serves skills: those of a folder, or those of a provider.
 *
 * @example
 * const server = new Server({ name: 'shop', version: '1.0.0' }, { extensions: [skills('./skills')] });
 */
export function skills(source: string | SkillProvider, options: SkillsOptions = {}): Extension {
  return serveSkills(typeof source === 'string' ? new SkillFolder(source, options) : source, options);
}

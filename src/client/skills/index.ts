export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { SkillLimits } from '../../skills/entry.js';
export type { Skill, SkillFrontmatter, SkillResource } from '../../skills/skill.js';
export { getSkill, listSkills, type SkillList, type SkillOptions } from './list.js';
export { type SaveSkillOptions, saveSkill } from './node-only.js';
export { type OpenSkill, type OpenSkillOptions, openSkill, type SkillFile } from './open.js';
export { SkillRefused } from './refused.js';

import '../../node-version.js';

export {
  getSkill,
  listSkills,
  openSkill,
  SkillRefused,
  TenonError,
  UsageError,
} from '../../../client/skills/index.js';
export { saveSkill } from './save.js';

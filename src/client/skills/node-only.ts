import { UsageError } from '../../base/errors.js';
import type { Skill } from '../../skills/skill.js';
import type { Client } from '../client.js';
import type { OpenSkillOptions } from './open.js';

/** Where a skill is saved. */
export interface SaveSkillOptions extends OpenSkillOptions {
  /** The folder of all saved skills. No other program should take skills from it, and no model should write there. */
  folder: string;
  /** Your name for the server. It becomes part of the path, so that skills of two servers never meet. */
  server: string;
  /** Replaces what was saved before. */
  replace?: boolean | undefined;
}

/**
 * Reads all files of a skill, checks them, and writes them into a folder of their own, which appears only when it is
 * complete. Returns the path of that folder: the folder, the server, the URI, the name of the skill. No file leads out of
 * it, and none can be executed. Node only.
 *
 * @example
 * const path = await saveSkill(client, skill, { folder: '/var/lib/host/skills', server: 'docs' });
 */
export async function saveSkill(_client: Client, _skill: Skill, _options: SaveSkillOptions): Promise<string> {
  throw new UsageError('saveSkill works on Node only; use openSkill, and store what its read returns');
}

import { quoteBriefly } from '../../base/json.js';
import { InvalidAnswer, NotSupported } from '../../protocol/failures.js';
import { readEntry, type SkillLimits } from '../../skills/entry.js';
import { SKILLS_ID, type Skill } from '../../skills/skill.js';
import type { CallOptions } from '../call-options.js';
import type { Client } from '../client.js';
import { readAllPages } from '../pages.js';
import { SkillRefused } from './refused.js';

/** The options of functions that ask a server for skills. */
export interface SkillOptions extends CallOptions {
  /** How large a skill may be: 512 files and 16 MiB by default. */
  limits?: SkillLimits | undefined;
}

/** The skills that a server lists. */
export interface SkillList {
  skills: Skill[];
  /** Why further entries must not be loaded, one sentence each: tell the user. */
  refused: string[];
}

/**
 * All skills that a server lists, over all pages. It reads no file of them. A server may serve skills that it does not
 * list: `getSkill` finds them by their URI.
 *
 * @example
 * const { skills, refused } = await listSkills(client);
 * for (const { uri, frontmatter } of skills) console.log(uri, frontmatter.description);
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export async function listSkills(client: Client, options: SkillOptions = {}): Promise<SkillList> {
  checkSupport(client);
  const { limits, ...call } = options;
  const entries = await readAllPages<unknown>('skills/list', async cursor => {
    const { skills, nextCursor } = await client.request(
      'skills/list',
      cursor === undefined ? {} : { cursor },
      call,
    );
    if (!Array.isArray(skills)) throw new InvalidAnswer('skills/list has no list of skills');
    return { entries: skills, nextCursor };
  });
  const list: SkillList = { skills: [], refused: [] };
  for (const entry of entries) {
    const read = readEntry(entry, limits);
    if ('skill' in read) list.skills.push(read.skill);
    else list.refused.push(read.problem);
  }
  return list;
}

/**
 * The current entry of a skill, by the URI of its `SKILL.md`. It reads no file. Throws `SkillRefused` if the entry must not
 * be loaded, and `McpError` if the server has no such skill.
 *
 * @example
 * const skill = await getSkill(client, 'skill://acme/refunds/SKILL.md');
 */
export async function getSkill(client: Client, uri: string, options: SkillOptions = {}): Promise<Skill> {
  checkSupport(client);
  const { limits, ...call } = options;
  const { skill } = await client.request('skills/get', { uri }, call);
  const read = readEntry(skill, limits);
  if ('problem' in read) throw new SkillRefused(read.problem);
  if (read.skill.uri !== uri)
    throw new SkillRefused(`the server answered with the skill ${quoteBriefly(read.skill.uri)} for ${uri}`);
  return read.skill;
}

function checkSupport({ server }: Client): void {
  if (!server.extension(SKILLS_ID))
    throw new NotSupported('the server does not serve skills', `extensions.${SKILLS_ID}`);
}

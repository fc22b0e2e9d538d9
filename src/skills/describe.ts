import { UsageError } from '../base/errors.js';
import { digestOf } from './digest.js';
import { readEntry } from './entry.js';
import { readSkillText } from './frontmatter.js';
import { skillRoot, uriOfPath } from './paths.js';
import { SKILL_FILE, type Skill } from './skill.js';

/**
 * Makes the entry of a skill from its files, for providers that do not read a folder. Throws if the skill breaks a rule.
 *
 * @example
 * const skill = await describeSkill('skill://acme/refunds', {
 *   'SKILL.md': '---\nname: refunds\ndescription: How to refund a customer\n---\n…',
 *   'examples/email.md': 'Dear customer, …',
 * });
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export async function describeSkill(
  root: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<Skill> {
  const uri = `${root}/${SKILL_FILE}`;
  if (skillRoot(uri) === undefined) throw new UsageError(`"${root}" is not the URI of the folder of a skill`);
  const main = files[SKILL_FILE];
  if (main === undefined) throw new UsageError(`the skill ${root} has no ${SKILL_FILE}`);
  const text = readSkillText(typeof main === 'string' ? main : new TextDecoder().decode(main));
  if ('problem' in text) throw new UsageError(`the skill ${root}: ${text.problem}`);
  const resources = Object.entries(files).map(async ([path, content]) => {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    return { uri: uriOfPath(root, path), digest: await digestOf(bytes), size: bytes.length };
  });
  const { frontmatter } = text;
  const read = readEntry({ uri, frontmatter, resources: await Promise.all(resources) });
  if ('problem' in read) throw new UsageError(read.problem);
  return read.skill;
}

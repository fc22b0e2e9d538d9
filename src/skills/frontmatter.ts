import { parseDocument } from 'yaml';
import { isJson, isObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { MAX_FRONTMATTER_BYTES, MAX_SKILL_COMPATIBILITY, MAX_SKILL_DESCRIPTION } from './limits.js';
import { nameProblem } from './name.js';
import type { SkillFrontmatter } from './skill.js';

/** A `SKILL.md` in its two parts. */
export interface SkillText {
  readonly frontmatter: SkillFrontmatter;
  /** The instructions after the frontmatter. */
  readonly body: string;
}

const FRONTMATTER = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/**
 * Reads a `SKILL.md`. Its frontmatter may be any YAML that JSON can carry: entries have every field of the author.
 * @see https://agentskills.io/specification
 */
export function readSkillText(text: string): SkillText | { problem: string } {
  const found = FRONTMATTER.exec(text);
  if (!found) return { problem: 'it does not begin with frontmatter: YAML between two lines of ---' };
  const [block, yaml = ''] = found;
  if (yaml.length > MAX_FRONTMATTER_BYTES)
    return { problem: `its frontmatter is longer than ${MAX_FRONTMATTER_BYTES} bytes` };
  const read = readYaml(yaml);
  if ('problem' in read) return read;
  const problem = frontmatterProblem(read.value);
  if (problem) return { problem };
  return { frontmatter: read.value as SkillFrontmatter, body: text.slice(block.length) };
}

/** Why this cannot be the frontmatter of a skill; undefined if it can. */
export function frontmatterProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'its frontmatter is not a map of fields';
  const { name, description, compatibility, metadata } = value;
  if (typeof name !== 'string') return 'its frontmatter has no name';
  const wrong = nameProblem(name);
  if (wrong) return wrong;
  if (typeof description !== 'string' || description.trim() === '')
    return 'its frontmatter has no description';
  if (description.length > MAX_SKILL_DESCRIPTION)
    return `its description has ${description.length} characters, and ${MAX_SKILL_DESCRIPTION} are allowed`;
  if (compatibility !== undefined && !isShort(compatibility, MAX_SKILL_COMPATIBILITY))
    return `its compatibility is not a text of 1 to ${MAX_SKILL_COMPATIBILITY} characters`;
  if (metadata !== undefined && !isObject(metadata)) return 'its metadata is not a map';
  return undefined;
}

function isShort(value: unknown, max: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= max;
}

/** Aliases are expanded only so far, and tags have no form in JSON: both could differ between two readers. */
function readYaml(yaml: string): { value: unknown } | { problem: string } {
  try {
    const document = parseDocument(yaml, { schema: 'core', logLevel: 'silent' });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault) return { problem: `its frontmatter is not valid YAML: ${firstLine(fault.message)}` };
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return isJson(value) ? { value } : { problem: 'its frontmatter has a value that JSON does not have' };
  } catch (error) {
    return { problem: `its frontmatter cannot be read: ${firstLine(messageOf(error))}` };
  }
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] as string).replace(/:$/, '');
}

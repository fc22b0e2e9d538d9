/** The id of the extension. */
export const SKILLS_ID = 'io.modelcontextprotocol/skills';

/** The name of the file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** A file of a skill. */
export interface SkillResource {
  uri: string;
  /** The SHA-256 of the bytes of the file: `sha256:` and 64 hexadecimal digits. */
  digest: string;
  /** In bytes. */
  size: number;
}

/** The frontmatter of a `SKILL.md`, with every field that its author wrote. */
export interface SkillFrontmatter {
  name: string;
  description: string;
  [field: string]: unknown;
}

/**
 * The entry of a skill: what it is, and all its files.
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export interface Skill {
  /** The URI of its `SKILL.md`, which identifies the skill within its server. */
  uri: string;
  frontmatter: SkillFrontmatter;
  /** All files, `SKILL.md` included; `dynamic` if the content is generated, so that nothing can be checked. */
  resources: SkillResource[] | 'dynamic';
}

/** How many files a skill may have, its `SKILL.md` included: a number of the extension. */
export const MAX_SKILL_FILES = 512;
/** How many bytes the files of a skill may have together: a number of the extension. */
export const MAX_SKILL_BYTES = 16 * 1024 * 1024;
/** How many bytes the frontmatter of a `SKILL.md` may have. */
export const MAX_FRONTMATTER_BYTES = 64 * 1024;
/** How many characters the name of a skill may have. */
export const MAX_SKILL_NAME = 64;
/** How many characters the description of a skill may have. */
export const MAX_SKILL_DESCRIPTION = 1024;
/** How many characters `compatibility` in the frontmatter may have. */
export const MAX_SKILL_COMPATIBILITY = 500;
/** How many bytes the name of a file or folder in a skill may have. */
export const MAX_FILE_NAME_BYTES = 255;

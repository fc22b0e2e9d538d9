import { isObject, quoteBriefly } from '../base/json.js';
import { frontmatterProblem } from './frontmatter.js';
import { MAX_SKILL_BYTES, MAX_SKILL_FILES } from './limits.js';
import { nameInRoot, pathInSkill, skillRoot } from './paths.js';
import type { Skill, SkillResource } from './skill.js';

/** How large a skill may be. */
export interface SkillLimits {
  /** 512 by default, which every host supports. */
  maxFiles?: number | undefined;
  /** The bytes of all files together: 16 MiB by default, which every host supports. */
  maxBytes?: number | undefined;
}

/**
 * Checks an entry that came from somewhere else: its shape, its name, that all its files are in its folder, and the
 * limits, so that nothing has to be read of a skill that is too large.
 */
export function readEntry(value: unknown, limits: SkillLimits = {}): { skill: Skill } | { problem: string } {
  const problem = entryProblem(value, limits);
  return problem === undefined ? { skill: value as Skill } : { problem };
}

function entryProblem(value: unknown, limits: SkillLimits): string | undefined {
  if (!isObject(value)) return 'a skill is not an object';
  const { uri, frontmatter, resources } = value;
  const root = typeof uri === 'string' ? skillRoot(uri) : undefined;
  if (root === undefined)
    return `a skill has ${quoteBriefly(uri)} as its URI, which is not that of a SKILL.md`;
  const what = `the skill ${uri}`;
  const wrong = frontmatterProblem(frontmatter);
  if (wrong) return `${what}: ${wrong}`;
  const { name } = frontmatter as { name: string };
  if (nameInRoot(root) !== name)
    return `${what} has the name "${name}", which is not the last part of its path`;
  if (resources === 'dynamic') return undefined;
  if (!Array.isArray(resources)) return `${what} has neither a list of files nor "dynamic"`;
  const bad = sizeProblem(resources, limits) ?? filesProblem(resources, uri as string, root);
  return bad && `${what} ${bad}`;
}

/** Why files are too many, or too large together; undefined if they are not. */
export function sizeProblem(
  files: readonly { size?: unknown }[],
  limits: SkillLimits = {},
): string | undefined {
  const { maxFiles = MAX_SKILL_FILES, maxBytes = MAX_SKILL_BYTES } = limits;
  if (files.length > maxFiles)
    return `has ${files.length.toLocaleString('en')} files, and ${maxFiles.toLocaleString('en')} are allowed`;
  const bytes = files.reduce((sum, file) => sum + (Number(file?.size) || 0), 0);
  if (bytes > maxBytes)
    return `has ${bytes.toLocaleString('en')} bytes, and ${maxBytes.toLocaleString('en')} are allowed`;
  return undefined;
}

function filesProblem(files: readonly unknown[], uri: string, root: string): string | undefined {
  const listed = new Set<string>();
  for (const file of files) {
    const problem = fileProblem(file, root);
    if (problem) return problem;
    const { uri: fileUri } = file as SkillResource;
    const path = pathInSkill(root, fileUri) as string;
    if (listed.has(path)) return `lists ${fileUri} twice`;
    listed.add(path);
  }
  const clash = [...listed].find(path => foldersOf(path).some(folder => listed.has(folder)));
  if (clash !== undefined) return `has "${clash}" in a folder that is also a file`;
  return files.some(file => (file as SkillResource).uri === uri) ? undefined : 'does not list its SKILL.md';
}

function fileProblem(file: unknown, root: string): string | undefined {
  if (!isObject(file) || typeof file.uri !== 'string') return 'lists a file without a URI';
  if (pathInSkill(root, file.uri) === undefined)
    return `lists ${quoteBriefly(file.uri)}, which is not a file in its folder`;
  if (typeof file.digest !== 'string' || !/^sha256:[\da-f]{64}$/.test(file.digest))
    return `lists ${file.uri} without a digest of the form sha256:…`;
  if (!Number.isSafeInteger(file.size) || (file.size as number) < 0)
    return `lists ${file.uri} without a size`;
  return undefined;
}

/** The folders above a path: `a` and `a/b` for `a/b/c`. */
function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

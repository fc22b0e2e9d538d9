import type { Client } from 'tenon/client';
import { listSkills, type Skill } from 'tenon/skills/client';
import type { Cli } from '../cli.js';
import { printEntries } from '../listing/print-entries.js';
import { plainLine } from '../terminal/plain-text.js';

/** Prints the skills that a server lists, and why others are refused. */
export async function printSkills(client: Client, { output, signal }: Cli): Promise<void> {
  const { skills, refused } = await listSkills(client, { signal });
  if (output.isJson) return output.json({ skills, refused });
  const entries = skills.map(skill => ({
    uri: skill.uri,
    name: skill.frontmatter.name,
    description: skill.frontmatter.description,
    mimeType: sizeOf(skill),
  }));
  printEntries('skills', entries, { all: true }, output);
  for (const problem of refused) output.warn(`refused: ${plainLine(problem)}`);
}

/** How many files and bytes a skill has, for people. */
export function sizeOf({ resources }: Skill): string {
  if (resources === 'dynamic') return 'generated';
  const bytes = resources.reduce((sum, file) => sum + file.size, 0).toLocaleString('en');
  return `${resources.length} ${resources.length === 1 ? 'file' : 'files'}, ${bytes} bytes`;
}

import { statSync } from 'node:fs';
import type { Client } from 'tenon/client';
import { checkSkillFolder } from 'tenon/skills';
import { listSkills, openSkill, type Skill, SkillRefused } from 'tenon/skills/client';
import type { Cli } from '../cli.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../terminal/plain-text.js';
import { sizeOf } from './print-skills.js';

/** Whether a word names a folder on this machine. */
export function isFolder(word: string): boolean {
  return statSync(word, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Checks a folder of skills as a server would read it. */
export async function checkFolder(folder: string, cli: Cli): Promise<void> {
  const { skills, problems } = await checkSkillFolder(folder);
  report(
    skills,
    problems.map(({ path, problem }) => `${path || '.'}: ${problem}`),
    cli,
  );
}

/** Reads every file of every skill that a server lists, and compares it with its entry. */
export async function checkServer(client: Client, cli: Cli): Promise<void> {
  const { signal } = cli;
  const { skills, refused } = await listSkills(client, { signal });
  const good: Skill[] = [];
  const problems = [...refused];
  for (const skill of skills) {
    try {
      const opened = await openSkill(client, skill, { signal, allowDynamic: true });
      for (const path of opened.paths) await opened.read(path);
      good.push(skill);
    } catch (error) {
      if (!(error instanceof SkillRefused)) throw error;
      problems.push(error.message);
    }
  }
  report(good, problems, cli);
}

function report(skills: readonly Skill[], problems: readonly string[], cli: Cli): void {
  const { output } = cli;
  if (problems.length > 0) cli.exitCode = EXIT.differs;
  if (output.isJson) return output.json({ skills, problems });
  const { green, red } = output.colours;
  for (const skill of skills) output.print(`${green('good')}  ${plainLine(skill.uri)}  ${sizeOf(skill)}`);
  for (const problem of problems) output.print(`${red('bad')}   ${plainLine(problem)}`);
  if (skills.length + problems.length === 0) output.print('no skills');
}

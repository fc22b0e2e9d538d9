import type { Client } from 'tenon/client';
import { getSkill, listSkills, openSkill, type Skill, saveSkill } from 'tenon/skills/client';
import type { Cli } from '../cli.js';
import type { ConnectionFlags } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliError } from '../failure.js';
import type { Target } from '../target.js';
import { closest } from '../terminal/closest.js';
import { plainLine, plainText } from '../terminal/plain-text.js';

export interface SkillFlags extends ConnectionFlags {
  readonly save?: string;
}

/** Prints a file of a skill, or saves the skill. */
export async function getFile(
  client: Client,
  target: Target,
  name: string,
  file: string | undefined,
  flags: SkillFlags,
  { output, signal }: Cli,
): Promise<void> {
  const skill = await findSkill(client, name, signal);
  if (flags.save !== undefined) {
    const path = await saveSkill(client, skill, { folder: flags.save, server: target.label, signal });
    return output.isJson ? output.json({ skill, path }) : output.print(`saved in ${path}`);
  }
  const opened = await openSkill(client, skill, { signal });
  const { uri, bytes, mimeType } = await opened.read(file ?? 'SKILL.md');
  const text = readText(bytes);
  if (output.isJson)
    return output.json({
      skill,
      file: {
        uri,
        mimeType,
        ...(text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text }),
      },
    });
  if (!output.isTerminal) return void process.stdout.write(bytes);
  if (text === undefined)
    throw new CliError(`${plainLine(uri)} is no text`, {
      next: 'Send it into a file: … > file, or use --save.',
    });
  output.print(plainText(text));
}

/** Looks a skill up by its URI, or by its name, which several skills can have. */
async function findSkill(client: Client, name: string, signal: AbortSignal): Promise<Skill> {
  if (name.includes('://')) return getSkill(client, name, { signal });
  const { skills } = await listSkills(client, { signal });
  const [skill, ...others] = skills.filter(({ frontmatter }) => frontmatter.name === name);
  if (skill && others.length === 0) return skill;
  const near = closest(
    name,
    skills.map(({ frontmatter }) => frontmatter.name),
  );
  const uris = [skill, ...others].flatMap(one => (one ? [one.uri] : []));
  if (skill)
    throw notOne(
      `several skills have the name "${plainLine(name)}"`,
      `Name one by its URI: ${uris.join(', ')}`,
    );
  throw notOne(
    `the server lists no skill "${plainLine(name)}"`,
    near === undefined
      ? 'See `tenon skills list <target>`, or name it by its URI.'
      : `Did you mean "${near}"?`,
  );
}

function notOne(message: string, next: string): CliError {
  return new CliError(message, { next: plainLine(next), exitCode: EXIT.usage, kind: 'usage' });
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

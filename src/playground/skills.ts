import type { Client } from 'tenon/client';
import { getSkill, listSkills, openSkill, type SkillList } from 'tenon/skills/client';
import type { PageCommands } from './api.js';

const SKILLS_ID = 'io.modelcontextprotocol/skills';

/** The skills of a server; none if it serves none. */
export async function skillsOf(client: Client): Promise<SkillList> {
  return client.server.extension(SKILLS_ID) ? listSkills(client) : { skills: [], refused: [] };
}

/** Reads a file of a skill, and compares it with the entry. */
export async function readSkillFile(
  client: Client,
  skill: string,
  path: string,
): Promise<PageCommands['skillFile']['returns']> {
  const opened = await openSkill(client, await getSkill(client, skill), { allowDynamic: true });
  if (path === 'SKILL.md') return { uri: skill, mimeType: 'text/markdown', text: opened.instructions };
  const { uri, mimeType, bytes } = await opened.read(path);
  const text = readText(bytes);
  return {
    uri,
    mimeType,
    ...(text === undefined ? { blob: Buffer.from(bytes).toString('base64') } : { text }),
  };
}

function readText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

import { InvalidArgumentError } from 'commander';

/**
 * Reads a JSON path of values to ignore, with all that is below them: `$.result.content[*].text`, `$..price`.
 * `*` stands for any member, `..` for any depth.
 */
export function readIgnoredPath(text: string, previous: readonly RegExp[] = []): RegExp[] {
  const isPath = /^\$(?:\.{1,2}(?:[\w$-]+|\*)|\[(?:\*|\d+|"(?:[^"\\]|\\.)*")\])*$/.test(text);
  if (!isPath)
    throw new InvalidArgumentError('It is a JSON path, such as $.result.content[*].text or $..price.');
  const parts = text.slice(1).match(/\.{1,2}(?:[\w$-]+|\*)|\[[^\]]*\]/g) ?? [];
  return [...previous, new RegExp(`^\\$${parts.map(toPattern).join('')}(?=$|[.[])`)];
}

const ANY_MEMBER = String.raw`(?:\.[\w$-]+|\[(?:\d+|"(?:[^"\\]|\\.)*")\])`;

function toPattern(part: string): string {
  if (part === '.*' || part === '[*]') return ANY_MEMBER;
  if (!part.startsWith('..')) return escapeText(part);
  const name = part.slice(2);
  return `${ANY_MEMBER}*${name === '*' ? ANY_MEMBER : escapeText(`.${name}`)}`;
}

function escapeText(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

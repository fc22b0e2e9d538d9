import { safeLink } from '../parts/safe-link.js';

/** A piece of a line of Markdown. */
export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis'; readonly inner: readonly Inline[] }
  | { readonly type: 'link'; readonly href: string; readonly inner: readonly Inline[] };

const PIECE =
  /(?<code>`+)(?<coded>[^`]+)\k<code>|!?\[(?<label>[^\]]*)\]\((?<target>[^)\s]+)[^)]*\)|(?<strong>\*\*|__)(?<bold>[^*_]+)\k<strong>|(?<![\w*])(?<mark>[*_])(?<slanted>[^*_]+)\k<mark>(?![\w*])|(?<bare>https?:\/\/[^\s<>)"'\]]+)/g;
const MAX_LENGTH = 20_000;

/** Parses a line of Markdown. Links that a browser must not follow stay text. */
export function parseInline(text: string): Inline[] {
  if (text.length > MAX_LENGTH) return [{ type: 'text', text }];
  const pieces: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const before = text.slice(end, match.index);
    if (before !== '') pieces.push({ type: 'text', text: before });
    pieces.push(toPiece(match[0], match.groups ?? {}));
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ type: 'text', text: text.slice(end) });
  return pieces;
}

function toPiece(whole: string, found: Record<string, string | undefined>): Inline {
  const { coded, label, target, bold, slanted, bare } = found;
  if (coded !== undefined) return { type: 'code', text: coded };
  if (bold !== undefined) return { type: 'strong', inner: parseInline(bold) };
  if (slanted !== undefined) return { type: 'emphasis', inner: parseInline(slanted) };
  const url = safeLink(target ?? bare ?? '');
  if (!url) return { type: 'text', text: whole };
  return { type: 'link', href: url.href, inner: [{ type: 'text', text: label || url.href }] };
}

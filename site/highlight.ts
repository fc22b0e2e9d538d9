const KEYWORDS =
  'abstract|as|async|await|break|case|catch|class|const|continue|declare|default|delete|do|else|export|extends|false|finally|for|from|function|if|implements|import|in|instanceof|interface|keyof|let|new|null|of|private|readonly|return|static|super|switch|this|throw|true|try|type|typeof|undefined|using|while|yield';
const TYPESCRIPT = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)`,
    String.raw`(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\`(?:\\.|[^\`\\])*\`)`,
    String.raw`(?<keyword>\b(?:${KEYWORDS})\b)`,
    String.raw`(?<number>\b\d[\d_.]*\b)`,
  ].join('|'),
  'g',
);
const SHELL = /(?<comment>(?<=^|\s)#[^\n]*)|(?<string>'[^']*'|"(?:\\.|[^"\\])*")/g;

const GRAMMARS: Readonly<Record<string, RegExp>> = {
  ts: TYPESCRIPT,
  js: TYPESCRIPT,
  json: TYPESCRIPT,
  jsonc: TYPESCRIPT,
  tsx: TYPESCRIPT,
  sh: SHELL,
  bash: SHELL,
};

/** Code as HTML, with comments, strings, keywords and numbers marked. */
export function highlight(code: string, language: string): string {
  const grammar = Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
  if (!grammar) return escapeHtml(code);
  let html = '';
  let at = 0;
  for (const match of code.matchAll(grammar)) {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}

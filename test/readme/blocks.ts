import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { ROOT } from '../architecture/sources.js';

/** A server of its own that the tests speak to, over HTTP or stdio, or the script of a page in a browser. */
export type RunsAs = 'http server' | 'stdio server' | 'script in a browser';

/** A code block of a Markdown page. */
export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** From the comment above the block: the file in `surroundings/` that has the names it uses, instead of the page's. */
  readonly surroundings: string | undefined;
  /** From the same comment: how the tests run the block, if not with the others of its page in one process. */
  readonly runsAs: RunsAs | undefined;
}

/** The Markdown files of the project that match a pattern of git, such as `docs/*.md`. */
export function markdownFiles(...patterns: string[]): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { cwd: ROOT });
  return listed.toString().split('\n').filter(Boolean).sort();
}

/** The code blocks of a page, in order. */
export function codeBlocks(page: string): Block[] {
  const text = readFileSync(`${ROOT}/${page}`, 'utf8');
  const pattern = /(?:^ *<!-- ([^\n]*?) -->\n\s*)?^( *)```(\w+)\n(.*?)^ *```$/gms;
  return [...text.matchAll(pattern)].map(match => {
    const [, note = '', indent = '', language = '', code = ''] = match;
    return {
      page,
      line: text.slice(0, text.indexOf('```', match.index)).split('\n').length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      surroundings: /surroundings: ([\w-]+)/.exec(note)?.[1],
      runsAs: /runs as: (http server|stdio server|script in a browser)/.exec(note)?.[1] as RunsAs | undefined,
    };
  });
}

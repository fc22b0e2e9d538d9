import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A page of the documentation. */
export interface Page {
  /** Relative to the project, such as `docs/client.md`. */
  path: string;
  /** Its first heading. */
  title: string;
  /** Its first sentence, without marks. */
  summary: string;
  text: string;
}

/** Pages that belong together. */
export interface Group {
  title: string;
  pages: Page[];
}

/** The order of the pages that are known; pages that are not listed come at the end of the guides. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  Start: ['README.md', 'docs/README.md'],
  Guides: [
    ...[
      'server',
      'resources',
      'prompts',
      'asking',
      'client',
      'models',
      'testing',
      'deploy',
      'reliability',
      'frameworks',
    ],
    ...['authorization', 'authorization-client', 'revisions', 'errors', 'limits', 'protocol', 'support'],
    ...['migrate-from-sdk', 'migrate-from-fastmcp', 'apps', 'apps-host', 'tasks', 'tasks-client'],
  ].map(name => `docs/${name}.md`),
  'Command line': ['cli', 'page', 'doctor', 'trace'].map(name => `docs/${name}.md`),
  Reference: ['docs/reference/README.md', 'docs/reference/tenon.md', 'docs/reference/client.md'],
  Project: [
    ...['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
    ...['conformance', 'peers', 'request', 'dependencies', 'releasing'].map(name => `docs/${name}.md`),
  ],
};

/** All pages in groups, in the order in which they are listed. */
export function readGroups(): Group[] {
  const found = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')];
  const paths = [...found, ...markdownIn('docs/reference'), ...markdownIn('docs/decisions')];
  const listed = new Set(Object.values(ORDER).flat());
  return Object.entries(ORDER).map(([title, order]) => {
    const known = order.filter(path => existsSync(`${ROOT}/${path}`));
    const others = paths.filter(path => !listed.has(path) && groupOf(path) === title);
    return { title, pages: [...known, ...others].map(readPage) };
  });
}

function groupOf(path: string): string {
  if (path.startsWith('docs/reference/')) return 'Reference';
  return path.startsWith('docs/decisions/') ? 'Project' : 'Guides';
}

function markdownIn(folder: string): string[] {
  if (!existsSync(`${ROOT}/${folder}`)) return [];
  const names = readdirSync(`${ROOT}/${folder}`).filter(name => name.endsWith('.md'));
  return names.sort().map(name => `${folder}/${name}`);
}

function readPage(path: string): Page {
  const text = readFileSync(`${ROOT}/${path}`, 'utf8').replace(/^<!--.*?-->\s*/s, '');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? path;
  return { path, title: withoutMarks(title), summary: firstSentence(text), text };
}

/** The first sentence of the first paragraph that is text. */
function firstSentence(text: string): string {
  const paragraphs = text.replace(/^```.*?^```/gms, '').split(/\n{2,}/);
  const paragraph = paragraphs.find(part => /^[\w`[_*]/.test(part) && !part.startsWith('[![')) ?? '';
  const plain = withoutMarks(paragraph.replace(/\s+/g, ' '));
  return /^.*?[.:!?](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain;
}

function withoutMarks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]|\b_|_\b/g, '');
}

import { type Group, readGroups } from './pages.js';

const SUMMARY = `> An SDK in TypeScript for the Model Context Protocol (MCP): write a server or a client once, and it fits every revision of
> the protocol, every transport and every runtime.`;

/** llms.txt and llms-full.txt, for assistants: a list of all pages, and the pages for users in one text. */
export function writeLlms(groups: readonly Group[] = readGroups()): Map<string, string> {
  return new Map([
    ['llms.txt', writeList(groups)],
    ['llms-full.txt', writeFull(groups)],
  ]);
}

/** @see https://llmstxt.org */
function writeList(groups: readonly Group[]): string {
  const sections = groups.map(({ title, pages }) => {
    const lines = pages
      .filter(({ path }) => !/decisions\/\d/.test(path))
      .map(({ title, path, summary }) => `- [${title}](${path})${summary && `: ${summary}`}`);
    // By its convention, what stands under this title may be left out.
    return `## ${title === 'Project' ? 'Optional' : title}\n\n${lines.join('\n')}`;
  });
  const about =
    'All pages are in the package, beside this file; `llms-full.txt` has those for users in one text.';
  return `${['# Tenon', SUMMARY, about, ...sections].join('\n\n')}\n`;
}

function writeFull(groups: readonly Group[]): string {
  const pages = groups.filter(({ title }) => title !== 'Project').flatMap(group => group.pages);
  return `${pages.map(({ path, text }) => `<!-- ${path} -->\n\n${text.trim()}`).join('\n\n')}\n`;
}

import type { ListedRequirement } from './requirement.js';
import type { Tag } from './tags.js';

/** The text of docs/conformance.md. */
export function writePage(requirements: readonly ListedRequirement[], tags: readonly Tag[]): string {
  const tests = testsById(tags);
  const revisions = [...groupBy(requirements, ({ revision }) => revision)];
  const sections = revisions.flatMap(([revision, list]) => [
    `## ${revision}`,
    ...[...groupBy(list, ({ page }) => page)].sort().flatMap(([page, items]) => [
      `### [${page}](${addressOf(revision)}${page})`,
      table(
        ['level', 'requirement', 'shown by'],
        items.map(item => [item.level, `${item.text}<br>\`${item.id}\``, evidence(item, tests)]),
      ),
    ]),
  ]);
  const counts = revisions.map(([revision, list]) => {
    const tested = list.filter(({ fullId }) => tests.has(fullId));
    const excused = list.filter(({ fullId, notTested }) => !tests.has(fullId) && notTested !== undefined);
    const open = list.length - tested.length - excused.length;
    return [revision, list.length, tested.length, excused.length, open].map(String);
  });
  return `${[
    INTRODUCTION,
    table(['revision', 'requirements', 'shown by a test', 'not for a test', 'no test yet'], counts),
    ...sections,
  ].join('\n\n')}\n`;
}

/** Where the pages of a revision, or of an extension, are. */
function addressOf(revision: string): string {
  return EXTENSIONS[revision] ?? `https://modelcontextprotocol.io/specification/${revision}`;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  apps: 'https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx',
  skills: 'https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx',
  tasks: 'https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md',
};

const INTRODUCTION = `# Conformance

Every MUST and SHOULD of 2025-06-18 and of 2026-07-28, and those of the other revisions that differ, and those of the
extensions for apps, for skills and for tasks, in our own words, each with the tests that show it. \`npm run docs:conformance\`
writes this page from the lists in \`test/requirements/\` and from the \`// covers:\` lines above the tests. A test
fails if a requirement has no test, or if this page is out of date.

\`npm run conformance\` prints the score of the official conformance suite, for every revision and extension.`;

function evidence({ fullId, notTested }: ListedRequirement, tests: ReadonlyMap<string, string[]>): string {
  return tests.get(fullId)?.join('<br>') ?? notTested ?? '**no test yet**';
}

function testsById(tags: readonly Tag[]): Map<string, string[]> {
  const tests = new Map<string, string[]>();
  for (const { covers, file, test } of tags) {
    for (const id of covers)
      tests.set(id, [...(tests.get(id) ?? []), `\`${file}\`: ${test.replaceAll('<', '&lt;')}`]);
  }
  return tests;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

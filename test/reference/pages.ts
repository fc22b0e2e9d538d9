import { type Declaration, publicDeclarations } from './declarations.js';

/** The folder of the reference. */
export const FOLDER = 'docs/reference';

const SECTIONS: Readonly<Record<string, readonly Declaration['kind'][]>> = {
  'Functions and values': ['function', 'value'],
  Classes: ['class'],
  Types: ['type'],
};

type Names = ReadonlyMap<string, Declaration>;

/** The pages of the reference by their paths. */
export function referencePages(): Map<string, string> {
  const subpaths = publicDeclarations();
  const owners = ownersOf(subpaths);
  const pages = [...subpaths].map(([subpath, names]): [string, string] => [
    `${FOLDER}/${fileOf(subpath)}`,
    writePage(subpath, names, owners),
  ]);
  return new Map([[`${FOLDER}/README.md`, writeIndex(subpaths)], ...pages]);
}

const NOTICE = '<!-- Written by `npm run docs:reference` from the comments in the source. -->';

function writeIndex(subpaths: ReadonlyMap<string, Names>): string {
  const lines = [...subpaths].map(([subpath, names]) => {
    const values = [...names].filter(([, { kind }]) => kind !== 'type').map(([name]) => `\`${name}\``);
    return `- [${subpath}](${fileOf(subpath)}): ${values.join(', ')}, and ${names.size - values.length} types`;
  });
  const about =
    'Every export of every subpath, with its declaration, its comment and an example. The other pages explain how they are used together.';
  return `${[NOTICE, '# Reference', about, lines.join('\n')].join('\n\n')}\n`;
}

function writePage(subpath: string, names: Names, owners: ReadonlyMap<string, string>): string {
  const anchors = anchorsOf(names);
  const about = `The exports of \`${subpath}\`, with their declarations, comments and examples.`;
  const parts = [NOTICE, `# ${subpath}`, about];
  for (const [title, entries] of sectionsOf(names)) {
    const links = entries.map(([name]) => `[${name}](#${anchors.get(name)})`);
    parts.push(`${title}: ${links.join(', ')}.`);
  }
  for (const [title, entries] of sectionsOf(names)) {
    parts.push(`## ${title}`);
    for (const [name, declaration] of entries) {
      const owner = owners.get(`${declaration.file} ${name}`) as string;
      parts.push(writeEntry(name, declaration, owner === subpath ? undefined : owner));
    }
  }
  return `${parts.join('\n\n')}\n`;
}

function sectionsOf(names: Names): [title: string, entries: [string, Declaration][]][] {
  return Object.entries(SECTIONS)
    .map(([title, kinds]): [string, [string, Declaration][]] => [
      title,
      [...names].filter(([, { kind }]) => kinds.includes(kind)),
    ])
    .filter(([, entries]) => entries.length > 0);
}

/** An export. If another subpath owns it, only its first words and a link. */
function writeEntry(name: string, declaration: Declaration, owner: string | undefined): string {
  const { description, signature, examples, links } = declaration;
  const parts = [`### ${name}`, paragraphs(description)];
  if (owner) return [...parts, `It is the same as in [${owner}](${fileOf(owner)}).`].join('\n\n');
  parts.push(`\`\`\`ts\n${signature}\n\`\`\``);
  for (const example of examples) parts.push('Example:', `\`\`\`ts\n${example}\n\`\`\``);
  for (const link of links) parts.push(/^https?:/.test(link) ? `See <${link}>.` : `See ${link}.`);
  return parts.join('\n\n');
}

/** Lines of a comment end where the source is full; in a page they need not. */
function paragraphs(description: string): string {
  return description.replace(/([^\n])\n(?![\n\-|])/g, '$1 ');
}

/** The subpath that documents a thing which several export: the first one. */
function ownersOf(subpaths: ReadonlyMap<string, Names>): Map<string, string> {
  const owners = new Map<string, string>();
  for (const [subpath, names] of subpaths) {
    for (const [name, { file }] of names) {
      const key = `${file} ${name}`;
      if (!owners.has(key)) owners.set(key, subpath);
    }
  }
  return owners;
}

function fileOf(subpath: string): string {
  return `${subpath.replace(/^tenon\//, '').replaceAll('/', '-')}.md`;
}

/** The anchors of the entries, as GitHub makes them: headings that are equal but for case are numbered. */
function anchorsOf(names: Names): Map<string, string> {
  const taken = new Map<string, number>();
  const anchors = new Map<string, string>();
  for (const [, entries] of sectionsOf(names)) {
    for (const [name] of entries) {
      const slug = name.toLowerCase();
      const count = taken.get(slug) ?? 0;
      taken.set(slug, count + 1);
      anchors.set(name, count === 0 ? slug : `${slug}-${count}`);
    }
  }
  return anchors;
}

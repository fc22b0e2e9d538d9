import type { Resource } from '../../../protocol/resources.js';
import { DIRECTORY, mimeTypeOf } from '../../../server/skills/mime-types.js';
import { uriOfPath } from '../../../skills/paths.js';
import type { Scan } from './scan.js';

/** What is directly in a folder, sorted by URI; undefined if no skill has this folder, or is below it. */
export function listDirectory(uri: string, { skills, files, skillFolders }: Scan): Resource[] | undefined {
  const folders = new Set([...skillFolders].flatMap(path => [uriOfPath('skill:/', path), ...above(path)]));
  if (!folders.has(uri)) return undefined;
  const inner = [...folders].filter(folder => isChild(uri, folder));
  const listed = [...files.values()].filter(file => isChild(uri, file.uri));
  return [
    ...inner.map(folder => ({ uri: folder, name: nameOf(folder), mimeType: DIRECTORY })),
    ...listed.map(({ uri: file, size }) => {
      const { name = nameOf(file), description } = skills.get(file)?.frontmatter ?? {};
      const mimeType = mimeTypeOf(file);
      return { uri: file, name, size, ...(description && { description }), ...(mimeType && { mimeType }) };
    }),
  ].sort((one, other) => (one.uri < other.uri ? -1 : 1));
}

/** The URIs of the folders above a path. */
function above(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => uriOfPath('skill:/', names.slice(0, index + 1).join('/')));
}

function isChild(folder: string, uri: string): boolean {
  return uri.startsWith(`${folder}/`) && !uri.slice(folder.length + 1).includes('/');
}

function nameOf(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
}

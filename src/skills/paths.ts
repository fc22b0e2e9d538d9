import { isUri } from '../protocol/resource-uri.js';
import { MAX_FILE_NAME_BYTES } from './limits.js';
import { SKILL_FILE } from './skill.js';

const encoder = new TextEncoder();

/** The URI of the folder of a skill, without a slash at its end; undefined if this is not the URI of a `SKILL.md`. */
export function skillRoot(uri: string): string | undefined {
  const end = `/${SKILL_FILE}`;
  if (!isUri(uri) || !uri.endsWith(end)) return undefined;
  const root = uri.slice(0, -end.length);
  const [, path] = /^[^:]+:\/\/(.+)$/.exec(root) ?? [];
  return path?.split('/').every(segment => readSegment(segment) !== undefined) ? root : undefined;
}

/** The name in the URI of a skill: the last part of its path. */
export function nameInRoot(root: string): string {
  return decodeURIComponent(root.slice(root.lastIndexOf('/') + 1));
}

/**
 * The path of a file in the folder of its skill, decoded, such as `references/FORMS.md`. Undefined if the URI is not in
 * that folder, or could lead out of it.
 */
export function pathInSkill(root: string, uri: string): string | undefined {
  if (!isUri(uri) || !uri.startsWith(`${root}/`)) return undefined;
  const names = uri
    .slice(root.length + 1)
    .split('/')
    .map(readSegment);
  return names.includes(undefined) ? undefined : names.join('/');
}

/** The URI of a file, from the URI of a folder and a path with slashes. */
export function uriOfPath(root: string, path: string): string {
  return `${root}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** The name of a file or folder that a segment of a URI stands for; undefined if it cannot be one everywhere. */
function readSegment(segment: string): string | undefined {
  if (/[?#]/.test(segment)) return undefined;
  let name: string;
  try {
    name = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  return isFileName(name) ? name : undefined;
}

/** Whether a text names a file or folder, and nothing outside of the folder that it is in. */
export function isFileName(name: string): boolean {
  if (name === '' || name === '.' || name === '..') return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names of files must not have them.
  return !/[/\\\x00-\x1f\x7f]/.test(name) && encoder.encode(name).length <= MAX_FILE_NAME_BYTES;
}

import { clip } from '../../../base/clip.js';
import { UsageError } from '../../../base/errors.js';
import { digestOf } from '../../../skills/digest.js';
import { MAX_FILE_NAME_BYTES } from '../../../skills/limits.js';
import { nameInRoot, skillRoot } from '../../../skills/paths.js';
import type { Skill } from '../../../skills/skill.js';

/** The names of the folders above a saved skill, and of its own: the server, the URI, and the name of the skill. */
export async function namesOfPlace(server: string, { uri }: Skill): Promise<string[]> {
  const root = skillRoot(uri) as string;
  const [label, place] = [toFileName(server), toFileName(root)];
  if (label.length > MAX_FILE_NAME_BYTES)
    throw new UsageError(`the name of the server is too long for a folder: "${clip(server)}"`);
  const digest = await digestOf(new TextEncoder().encode(root));
  return [label, place.length > MAX_FILE_NAME_BYTES ? digest.replace(':', '-') : place, nameInRoot(root)];
}

/** Why these files cannot be in one folder on this system; undefined if they can. */
export function pathsProblem(paths: readonly string[]): string | undefined {
  const spelled = new Map<string, string>();
  for (const path of paths) {
    const names = path.split('/');
    const reserved = process.platform === 'win32' && names.find(name => WINDOWS_RESERVED.test(name));
    if (reserved) return `has a file or folder "${reserved}", which Windows does not allow`;
    for (let length = 1; length <= names.length; length++) {
      const prefix = names.slice(0, length).join('/');
      const folded = prefix.normalize('NFC').toLowerCase();
      const other = spelled.get(folded);
      if (other !== undefined && other !== prefix)
        return `has "${other}" and "${prefix}", which are the same name on some systems`;
      spelled.set(folded, prefix);
    }
  }
  return undefined;
}

/** A colon would name another stream of a file, and a device is no file. */
const WINDOWS_RESERVED = /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;

/** A text as the name of a folder, from which it can be read again. */
function toFileName(text: string): string {
  return encodeURIComponent(text).replaceAll('.', '%2E').replaceAll('*', '%2A');
}

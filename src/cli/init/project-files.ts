import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The answers that a new project needs. */
export interface ProjectPlan {
  readonly name: string;
  /** What `package.json` says about this package: a version, or a file. */
  readonly tenon: string;
}

/** The template lies in the package, two folders above the bundled command. */
const TEMPLATE = fileURLToPath(new URL('../../templates/project', import.meta.url));
/** The name of the server in the template. */
const NAME = /my-server/g;

/** The files of a new project, by their paths. */
export async function projectFiles({ name, tenon }: ProjectPlan): Promise<Map<string, string>> {
  const entries = await readdir(TEMPLATE, { recursive: true, withFileTypes: true });
  const files = new Map<string, string>();
  for (const entry of entries.filter(entry => entry.isFile())) {
    const path = relative(TEMPLATE, join(entry.parentPath, entry.name));
    const text = (await readFile(join(TEMPLATE, path), 'utf8')).replace(NAME, name);
    // npm leaves files of this name out of packages.
    files.set(path === 'gitignore' ? '.gitignore' : path, text);
  }
  const manifest = JSON.parse(files.get('package.json') as string);
  manifest.dependencies.tenon = tenon;
  return files.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
}

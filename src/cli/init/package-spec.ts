import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readVersion } from '../version.js';

/** The folder of this package: two above the bundled command. */
const HERE = fileURLToPath(new URL('../..', import.meta.url));

/**
 * How a new project should name this package: as the project that it is installed in does, by its file if it came from
 * one; from a checkout, by its folder; otherwise by its version.
 */
export function packageSpec(here: string = HERE): string {
  const place = here.lastIndexOf(`${sep}node_modules${sep}`);
  if (place === -1) return `file:${resolve(here)}`;
  const spec = specIn(here.slice(0, place));
  return spec ?? `^${readVersion()}`;
}

/** The file that a project has installed this package from. */
function specIn(project: string): string | undefined {
  const path = resolve(project, 'package.json');
  if (!existsSync(path)) return undefined;
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(path, 'utf8'));
  const spec: unknown = dependencies.tenon ?? devDependencies.tenon;
  if (typeof spec !== 'string' || !spec.startsWith('file:')) return undefined;
  return `file:${resolve(dirname(path), spec.slice('file:'.length))}`;
}

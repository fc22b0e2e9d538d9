import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Where the build of a TypeScript program of this repository is, for node to run. */
export function program(source: string): string {
  const path = relative(ROOT, resolve(ROOT, source));
  const built = join(process.env.TENON_PROGRAMS ?? '', path.replace(/\.m?[jt]s$/, '.mjs'));
  if (!existsSync(built)) throw new Error(`${path} is not built: name it in test/programs/build.ts`);
  return built;
}

import { readdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** One sentence of the specification that binds somebody, in our own words. */
export interface Requirement {
  /** A readable slug, such as `tools/list-changed-is-declared`, which is unique within its revision. */
  id: string;
  /** REQUIRED and SHALL are MUST, RECOMMENDED is SHOULD. What is optional is not listed. */
  level: 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT';
  text: string;
  /** Who has to keep it. An `author` writes a server or a host with this SDK. */
  of: 'server' | 'client' | 'both' | 'author';
  /** The page of the specification, without the revision, such as `/server/tools`. */
  page: string;
  /** Why it does not apply to an SDK, or cannot be tested, in one sentence. */
  notTested?: string;
}

/** A requirement with what its file says about it. */
export interface ListedRequirement extends Requirement {
  /** Or the name of an extension. */
  revision: string;
  /** The revision and the id, as tags name it. */
  fullId: string;
}

/** The requirements of every revision, and of extensions, in the order of revisions, pages and sentences. */
export async function readRequirements(): Promise<ListedRequirement[]> {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const files = (await readdir(folder, { recursive: true }))
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => /^(\d{4}-\d\d-\d\d|skills|apps|tasks)\/.+\.ts$/.test(path))
    .sort();
  const lists = await Promise.all(files.map(file => readList(folder, file)));
  return lists.flat();
}

async function readList(folder: string, file: string): Promise<ListedRequirement[]> {
  const { default: list } = (await import(pathToFileURL(`${folder}/${file}`).href)) as {
    default: readonly Requirement[];
  };
  const revision = file.slice(0, file.indexOf('/'));
  return list.map(requirement => ({ ...requirement, revision, fullId: `${revision}/${requirement.id}` }));
}

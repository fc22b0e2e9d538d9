import type { Awaitable } from '../../base/settle.js';
import type { Resource } from '../../protocol/resources.js';
import type { Skill } from '../../skills/skill.js';

/**
 * Where skills come from: a folder, which `skills('./skills')` reads on Node, or anything else that has these functions.
 * Clients send the URIs and cursors that it gets, so it must expect any text.
 *
 * @example
 * const skill = await describeSkill('skill://refunds', files);
 * const provider: SkillProvider = {
 *   list: () => ({ skills: [skill] }),
 *   get: uri => (uri === skill.uri ? skill : undefined),
 *   read: uri => files[uri.replace('skill://refunds/', '')],
 * };
 */
export interface SkillProvider {
  /** The scheme of the URIs of its files: `skill` by default. */
  readonly scheme?: string | undefined;
  /** A page of skills. Throw an `McpError` for a cursor that is not valid. */
  list(cursor: string | undefined): Awaitable<SkillPage>;
  /** One skill by the URI of its `SKILL.md`, also one that is not listed; undefined if there is none. */
  get(uri: string): Awaitable<Skill | undefined>;
  /** The content of a file, or undefined if there is none. A text is sent in UTF-8. */
  read(uri: string): Awaitable<string | Uint8Array | undefined>;
  /**
   * The files and folders directly in a folder, or undefined if there is none. With it, the server tells clients that it
   * can read directories.
   */
  readDirectory?(uri: string, cursor: string | undefined): Awaitable<DirectoryPage | undefined>;
  /** Calls `changed` with the URIs of the files that were added, changed or removed, until the process ends. */
  watch?(changed: (uris: readonly string[]) => void): void;
}

/** A page of skills. */
export interface SkillPage {
  skills: readonly Skill[];
  nextCursor?: string | undefined;
}

/** A page of the files and folders in a folder. A folder has the MIME type `inode/directory`. */
export interface DirectoryPage {
  resources: readonly Resource[];
  nextCursor?: string | undefined;
}

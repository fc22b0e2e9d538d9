import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clip } from '../../../base/clip.js';
import { UsageError } from '../../../base/errors.js';
import { checkHtml, checkPageSize, type Page } from '../../../server/apps/page.js';
import { watchFile } from './watch-file.js';

/** The page of a file. It is read for each request, so that clients always get the one on the disk. */
export class FilePage implements Page {
  readonly #path: string;
  /** Held weakly, so that a page which many servers show does not hold those that are gone. */
  readonly #listeners = new Set<WeakRef<() => void>>();
  #isWatched = false;
  /** Of the page that listeners know. */
  #digest: string;

  constructor(file: string | URL) {
    this.#path = locate(file);
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    if (!stats?.isFile())
      throw new UsageError(
        `there is no file "${clip(this.#path)}"; an app needs its page: build it first, or correct the path`,
      );
    checkPageSize(stats.size, this.#name);
    this.#digest = digestOf(this.#decode(readFileSync(this.#path)));
  }

  async read(): Promise<string> {
    const { size } = await stat(this.#path);
    checkPageSize(size, this.#name);
    return this.#decode(await readFile(this.#path));
  }

  watch(changed: () => void): void {
    for (const listener of this.#listeners) if (!listener.deref()) this.#listeners.delete(listener);
    this.#listeners.add(new WeakRef(changed));
    if (!this.#isWatched) watchFile(this.#path, this);
    this.#isWatched = true;
  }

  /** Tells listeners if the page is another one. A file that is not complete yet will change once more. */
  async look(): Promise<void> {
    const digest = await this.read().then(digestOf, () => this.#digest);
    if (digest === this.#digest) return;
    this.#digest = digest;
    for (const listener of this.#listeners) listener.deref()?.();
  }

  get #name(): string {
    return `the page ${this.#path}`;
  }

  #decode(bytes: Uint8Array): string {
    try {
      return checkHtml(new TextDecoder('utf-8', { fatal: true }).decode(bytes), this.#name);
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
      throw new UsageError(`${this.#name} is not text in UTF-8`, { cause });
    }
  }
}

function locate(file: string | URL): string {
  if (file instanceof URL && file.protocol === 'file:') return fileURLToPath(file);
  const text = String(file);
  if (text.trimStart().startsWith('<'))
    throw new UsageError('app takes the path of a page; give it the page itself as app({ html })');
  if (file instanceof URL || /^[a-z][a-z\d+.-]+:\/\//i.test(text))
    throw new UsageError(
      `app reads a file, not ${clip(text)}: give it a path, or new URL('chart.html', import.meta.url)`,
    );
  return resolve(text);
}

function digestOf(html: string): string {
  return createHash('sha256').update(html).digest('base64');
}

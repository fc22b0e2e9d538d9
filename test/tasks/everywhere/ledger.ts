import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file to which the handlers of all processes write what they do. */
export class Ledger {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tenon-everywhere-'));
  readonly file = join(this.#folder, 'ledger');

  constructor() {
    writeFileSync(this.file, '');
  }

  /** The id of the first process of a name, which stands in a file beside the ledger. */
  firstOf(name: string): number {
    return Number(readFileSync(join(this.#folder, name), 'utf8'));
  }

  /** The ids of the processes that did a part of the work for a film, in order. */
  workers(part: 'book' | 'shoot', title: string): number[] {
    const lines = readFileSync(this.file, 'utf8').split('\n');
    const entries = lines.map(line => /^(\w+) (\d+) (.*)$/.exec(line));
    return entries.flatMap(entry => (entry?.[1] === part && entry[3] === title ? [Number(entry[2])] : []));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

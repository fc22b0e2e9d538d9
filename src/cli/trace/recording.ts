import { closeSync, openSync, writeSync } from 'node:fs';
import { parse } from 'node:path';
import { usageError } from '../failure.js';
import { readVersion } from '../version.js';
import { TRACE_FORMAT, type TraceEntry, type TraceHeader } from './entry.js';

/** A file that is being recorded into: one line of JSON with the header, then one per entry. */
export interface Recording {
  readonly path: string;
  add(entry: TraceEntry): void;
  close(): void;
}

/** The header of a recording that begins now. */
export function createHeader(about: Pick<TraceHeader, 'target' | 'transport' | 'masked'>): TraceHeader {
  return { tenonTrace: TRACE_FORMAT, tenon: readVersion(), startedAt: new Date().toISOString(), ...about };
}

/**
 * Opens a new file, which only its owner can read. A file that exists is not written over: hosts start the same command
 * again and again, so that the next ones get a number.
 */
export function openRecording(wanted: string, header: TraceHeader): Recording {
  const { path, file } = openNew(wanted);
  // Written at once, so that a process that is killed loses no more than its last line.
  const write = (value: unknown) => void writeSync(file, `${JSON.stringify(value)}\n`);
  write(header);
  return { path, add: write, close: () => closeSync(file) };
}

function openNew(wanted: string): { path: string; file: number } {
  const { dir, name, ext } = parse(wanted);
  const folder = dir === '' ? '' : dir.endsWith('/') ? dir : `${dir}/`;
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${folder}${name}-${number}${ext}`;
    try {
      return { path, file: openSync(path, 'wx', 0o600) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw usageError(
        `cannot write the recording "${path}": ${(error as Error).message}`,
        'Name a file in a folder that exists: --record trace.jsonl',
      );
    }
  }
}

import { readFile } from 'node:fs/promises';
import { usageError } from '../failure.js';
import { TRACE_FORMAT, type TraceEntry, type TraceHeader } from '../trace/entry.js';

/** An entry with its line in the file. */
export type RecordedEntry = TraceEntry & { readonly line: number };

/** A recording of `tenon trace --record`. */
export interface Trace {
  readonly header: TraceHeader;
  readonly entries: readonly RecordedEntry[];
}

/** Reads a recording. What is wrong with it is reported with its line. */
export async function readTrace(path: string): Promise<Trace> {
  const text = await readFile(path, 'utf8').catch(error => {
    throw usageError(`cannot read "${path}": ${reasonOf(error)}`, RECORD);
  });
  if (text.trim() === '') throw usageError(`"${path}" is empty: nothing was recorded`, RECORD);
  const lines = text.split('\n');
  const header = readHeader(path, lines[0] as string);
  const entries = lines.slice(1).flatMap((content, index) => {
    const line = index + 2;
    if (content.trim() === '') return [];
    return [{ ...readEntry(path, content, line, line === lines.length), line }];
  });
  return { header, entries };
}

const RECORD = 'Record one: tenon trace <target> --record trace.jsonl';

function readHeader(path: string, line: string): TraceHeader {
  const header = parse(line) as Partial<TraceHeader> | undefined;
  if (typeof header?.tenonTrace !== 'number') {
    throw usageError(`"${path}" is no recording of tenon: its first line is not the header of one`, RECORD);
  }
  if (header.tenonTrace > TRACE_FORMAT) {
    const { tenonTrace, tenon = 'unknown' } = header;
    throw usageError(
      `"${path}" was recorded by a newer tenon (${tenon}), in format ${tenonTrace}; this one reads up to ${TRACE_FORMAT}`,
      'Update tenon: npm install tenon@latest',
    );
  }
  return header as TraceHeader;
}

function readEntry(path: string, content: string, line: number, isLast: boolean): TraceEntry {
  const entry = parse(content);
  if (isEntry(entry)) return entry;
  if (isLast) {
    throw usageError(
      `"${path}" is cut: line ${line} ends in the middle`,
      `Delete line ${line} to play what comes before it, or record again.`,
    );
  }
  throw usageError(`line ${line} of "${path}" is damaged`, `Delete line ${line}, or record again.`);
}

function isEntry(value: unknown): value is TraceEntry {
  const { at, from, message } = (value ?? {}) as Partial<TraceEntry>;
  const isComplete = typeof at === 'number' && (from === 'client' || from === 'server');
  return isComplete && (message === undefined || (typeof message === 'object' && message !== null));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EISDIR' ? 'it is a folder' : message;
}

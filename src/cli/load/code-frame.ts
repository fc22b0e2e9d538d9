import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CliError } from '../failure.js';

/** A place in a source file. */
interface Place {
  file: string;
  line: number;
}

/** How many lines are shown around the one that failed. */
const AROUND = 2;

/**
 * Describes an error of a server file: its message, and the lines of the source that it came from. `files` are those of
 * the project.
 */
export function describeError(error: unknown, files: ReadonlySet<string>): string {
  if (!(error instanceof Error)) return `the program threw ${String(error)}`;
  if (error instanceof CliError) return [error.message, error.next].filter(Boolean).join('\n  ');
  const place = placeOfParser(error) ?? placeInStack(error, files);
  const name = error.name === 'Error' ? '' : `${error.name}: `;
  const message = error.message.replace(PARSER, '').split('\n')[0];
  return place ? `${name}${message}\n${frame(place)}` : name + message;
}

/** How errors of the TypeScript parser begin and end. */
const PARSER = /^Error transforming (.+?): | \((\d+):(\d+)\)$/g;

function placeOfParser({ message }: Error): Place | undefined {
  const [start, end] = [...message.matchAll(PARSER)];
  if (start?.[1] === undefined || end?.[2] === undefined) return undefined;
  return { file: start[1], line: Number(end[2]) };
}

/** The first place in the files of the project: `at reserve (file:///bistro/server.ts:10:5)`. */
function placeInStack({ stack = '' }: Error, files: ReadonlySet<string>): Place | undefined {
  for (const [, url, line] of stack.matchAll(/(file:\/\/[^)\s]+?):(\d+):\d+/g)) {
    const file = fileURLToPath(url as string);
    if (files.has(file)) return { file, line: Number(line) };
  }
  return undefined;
}

/** Types that were removed before it in the line shift the column, so only the line is marked. */
function frame({ file, line }: Place): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const first = Math.max(1, line - AROUND);
  const width = String(line + AROUND).length;
  const shown = lines.slice(first - 1, line + AROUND).map((text, index) => {
    const number = first + index;
    return `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`;
  });
  return `  at ${file}:${line}\n\n${shown.join('\n')}`;
}

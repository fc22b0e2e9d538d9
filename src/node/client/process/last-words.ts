/** How many lines, and how many characters of them, an error message quotes. */
const MAX_LINES = 5;
const MAX_CHARACTERS = 600;
const MAX_ERROR = 300;

/** A line of a stack trace, as JavaScript, Java and .NET print it. */
const FRAME = /^\s+at /;
/** A line that names an error. Those with an indentation belong to the details of one. */
const ERROR_LINE =
  /^\S.*\b(?:\w*error|\w*exception|fatal|panic(?:ked)?|cannot|not found)\b|^\w*(?:Error|Exception)\b/i;

/** The part of a program's stderr that tells why it ended: its last lines, and the last one that names an error. */
export function lastWords(stderr: string): string {
  const lines = stderr
    .split('\n')
    .map(line => line.trimEnd())
    .filter(line => line !== '' && !FRAME.test(line));
  const last = lines.slice(-MAX_LINES);
  const end = last.join('\n').slice(-MAX_CHARACTERS);
  if (last.some(line => ERROR_LINE.test(line))) return end;
  const error = lines.slice(0, -MAX_LINES).findLast(line => ERROR_LINE.test(line));
  return error === undefined ? end : `${error.slice(0, MAX_ERROR)}\n…\n${end}`;
}

import { plainText } from '../../terminal/plain-text.js';

const MAX_LINES = 8;

/** The last lines of standard error, without stack frames; undefined if there are none. */
export function lastWords(stderr: string): string[] | undefined {
  const lines = plainText(stderr)
    .split('\n')
    .map(line => line.trimEnd())
    .filter(line => line.trim() !== '' && !/^\s+at |^Node\.js v\d/.test(line));
  return lines.length > 0 ? lines.slice(-MAX_LINES) : undefined;
}

/** The line that says what went wrong: the message of an error, which its details and a brace may follow; else the last. */
export function headline(words: readonly string[]): string | undefined {
  return words.findLast(line => /^(Uncaught )?[\w.]*(Error|Exception)\b.*:/.test(line)) ?? words.at(-1);
}

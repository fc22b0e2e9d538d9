/** The words of a command line: those for `tenon`, and the program after `--` with its arguments. */
export interface Words {
  readonly own: readonly string[];
  readonly program: readonly string[] | undefined;
}

/**
 * Splits a command line at its first `--`. `tenon call … --json '{…}'` gives the arguments of the tool, as `--args '{…}'`
 * does; everywhere else `--json` is the flag that asks for output in JSON.
 */
export function splitWords(words: readonly string[]): Words {
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  const program = dashes === -1 ? undefined : words.slice(dashes + 1);
  if (own[0] !== 'call') return { own, program };
  const isArguments = (word: string, index: number) =>
    word === '--json' && /^\s*\{/.test(own[index + 1] ?? '');
  return { own: own.map((word, index) => (isArguments(word, index) ? '--args' : word)), program };
}

#!/usr/bin/env node
import { Cli } from './cli.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { describeFailure } from './failure.js';
import { watchInterrupt } from './interrupt.js';
import { runProgram } from './program.js';
import { Output } from './terminal/output.js';
import { plainText } from './terminal/plain-text.js';
import { splitWords } from './words.js';

process.exitCode = await main(process.argv.slice(2));
await new Promise<void>(flushed => process.stdout.write('', () => flushed()));
// Whatever a command has left open, such as standard input, must not keep the process alive.
process.exit();

async function main(words: readonly string[]): Promise<number> {
  const { own, program } = splitWords(words);
  // Read before commander does, so that wrong usage is reported in the same way.
  const output = new Output({ json: own.includes('--json'), verbose: own.includes('--verbose') });
  const interruption = watchInterrupt();
  const cli = new Cli(program, interruption, output);
  try {
    await runProgram(own, cli);
    return cli.exitCode;
  } catch (error) {
    return report(interruption.signal.aborted ? interruption.signal.reason : error, cli);
  }
}

/** Prints what failed and what to do next. */
function report(error: unknown, { output, program }: Cli): ExitCode {
  const { kind, message, next, exitCode } = describeFailure(error, program !== undefined);
  if (exitCode === EXIT.interrupted) return exitCode;
  if (output.isJson) output.json({ error: { kind, message, ...(next && { next }) } });
  output.note(`${output.noteColours.red('error:')} ${plainText(message)}`);
  if (next) output.next(next);
  if (output.isVerbose && error instanceof Error) output.detail(error.stack ?? '');
  return exitCode;
}

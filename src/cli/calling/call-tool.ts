import { Cancelled, type Client, type ConnectOptions, McpError, TenonError } from 'tenon/client';
import { ERROR, type LogLevel, type Tool } from 'tenon/protocol';
import { tasksClient } from 'tenon/tasks/client';
import type { Cli } from '../cli.js';
import { withClient } from '../connection.js';
import { EXIT } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { Answering } from '../questions/answering.js';
import { taskSupportOf } from '../schema/task-support.js';
import type { Target } from '../target.js';
import { TaskReport } from '../tasks/task-report.js';
import { closest } from '../terminal/closest.js';
import type { Output } from '../terminal/output.js';
import { plainLine } from '../terminal/plain-text.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { Saver } from '../terminal/save.js';
import type { CallFlags } from './call-flags.js';
import { describeTool } from './describe-tool.js';
import { gatherArguments } from './gather-arguments.js';
import { readAnswers, readRoots, sampleWith } from './prepared-answers.js';
import { showResult } from './show-result.js';

/** Calls a tool, answers what the server asks meanwhile, and shows the result. */
export async function callTool(
  cli: Cli,
  target: Target,
  name: string,
  words: readonly string[],
  flags: CallFlags,
): Promise<void> {
  const { output } = cli;
  const saver = new Saver(flags.save);
  const line = new ProgressLine(output, `connecting to ${plainLine(target.label)}`);
  const answering = new Answering(cli, readAnswers(flags.answer ?? []), line);
  const report = new TaskReport(output, line);
  const options: ConnectOptions = {
    ...answering.handlers,
    extensions: [tasksClient({ onTask: task => report.tell(task) })],
    ...(flags.sample !== undefined && { onSample: sampleWith(flags.sample) }),
    ...(flags.root && { roots: readRoots(flags.root) }),
    ...(flags.log && logOptions(cli, flags.log as LogLevel)),
  };
  line.show();
  let tool: Tool | undefined;
  try {
    const result = await withClient(cli, target, flags, options, async client => {
      tool = await findTool(client, name, cli.signal);
      line.hide();
      if (flags.help) return describeTool(tool, output);
      const args = await gatherArguments(tool, words, flags, cli);
      line.say(`calling ${name}`);
      line.show();
      const signal = AbortSignal.any([cli.signal, answering.failure]);
      const answer = await client.callTool(name, args, {
        signal,
        onProgress: progress => line.update(progress),
        ...(flags.task && { task: true }),
      });
      line.hide();
      return answer;
    });
    if (!result) return;
    warnOfUnused(answering, output);
    showResult(result, name, output, saver);
    if (!result.isError) return;
    cli.exitCode = EXIT.failed;
    if (tool && needsTask(tool) && !report.hasTask) output.next(NO_TASKS);
  } catch (error) {
    throw answering.failure.aborted
      ? answering.failure.reason
      : explain(error, name, report.hasTask ? undefined : tool);
  } finally {
    line.hide();
  }
}

function needsTask(tool: Tool): boolean {
  return taskSupportOf(tool) === 'required';
}

const NO_TASKS =
  'This tool only runs as a task, and the server does not declare that clients can ask for tasks (tasks.requests.tools.call).';

/** An answer that nobody asked for may be meant for another question, so it is not passed over in silence. */
function warnOfUnused({ unused }: Answering, output: Output): void {
  if (unused === 0) return;
  const subject = unused === 1 ? 'one --answer was' : `${unused} of the --answer options were`;
  output.warn(`${subject} not used: the server asked no further question`);
}

async function findTool(client: Client, name: string, signal: AbortSignal): Promise<Tool> {
  const tools = await client.tools({ signal });
  const tool = tools.find(one => one.name === name);
  if (tool) return tool;
  const names = tools.map(one => one.name);
  const near = closest(name, names);
  const next = near === undefined ? describeNames(names) : `Did you mean "${plainLine(near)}"?`;
  throw new CliError(`the server has no tool "${plainLine(name)}"`, {
    next,
    exitCode: EXIT.usage,
    kind: 'usage',
  });
}

function describeNames(names: readonly string[]): string {
  if (names.length === 0) return 'It has no tools at all.';
  const shown = names.slice(0, 20).map(plainLine).join(', ');
  return `It has: ${shown}${names.length > 20 ? `, and ${names.length - 20} more (tenon list)` : ''}`;
}

function logOptions({ output }: Cli, logLevel: LogLevel): ConnectOptions {
  return {
    logLevel,
    onLog: ({ level, logger, data }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      output.note(
        output.noteColours.dim(`${level}${logger ? ` ${plainLine(logger)}` : ''}: ${plainLine(text)}`),
      );
    },
  };
}

/**
 * A task can be cancelled at the server. Wrong arguments are reported by many servers as an error of the protocol. The client itself refuses an answer that
 * does not fit its form, where only the client can tell, such as by a pattern that repeats a group.
 */
function explain(error: unknown, name: string, tool: Tool | undefined): unknown {
  // An interrupt of the user is reported as such, whatever the call ended with.
  if (error instanceof Cancelled) return new CliError(error.message, { kind: error.kind, cause: error });
  if (error instanceof TenonError && /^the answer to .* does not fit its form: /s.test(error.message)) {
    const next = 'The server has not got this answer. Call the tool again with another one.';
    return new CliError(error.message, { next, kind: 'usage', exitCode: EXIT.usage, cause: error });
  }
  if (!(error instanceof McpError)) return error;
  if (tool && needsTask(tool))
    return new CliError(error.message, { next: NO_TASKS, kind: 'mcp', cause: error });
  if (error.code !== ERROR.invalidParams) return error;
  const next = `\`tenon call <target> ${plainLine(name)} --help\` shows its arguments.`;
  return new CliError(error.message, { next, kind: 'mcp', cause: error });
}

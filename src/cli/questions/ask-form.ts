import { log, select } from '@clack/prompts';
import type { ElicitFormParams, ElicitResult, JsonSchema } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { propertiesOf, requiredOf } from '../schema/resolve.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { askField } from './ask-field.js';
import { Left, prompt } from './prompting.js';

/** Shows the form of a server in the terminal. Esc leads to a choice between going on, declining and cancelling. */
export async function askForm(
  { message, requestedSchema }: ElicitFormParams,
  server: string,
  cli: Cli,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const { bold, dim } = cli.output.noteColours;
  const heading = `${bold(`${plainLine(server)} asks:`)} ${plainText(message)}`;
  log.step(`${heading}\n${dim('Esc declines or cancels.')}`, { output: process.stderr });
  let answers: Answers = {};
  for (;;) {
    try {
      answers = await fillIn(requestedSchema, answers, cli, signal);
      const action = await review(requestedSchema, answers, cli, signal);
      if (action === 'accept') return { action, content: answers as NonNullable<ElicitResult['content']> };
      if (action !== 'again') return { action };
    } catch (error) {
      if (!(error instanceof Left)) throw error;
      const action = await leave(cli, signal);
      if (action !== 'again') return { action };
    }
  }
}

type Answers = Record<string, unknown>;
type Action = ElicitResult['action'] | 'again';

async function fillIn(schema: JsonSchema, given: Answers, cli: Cli, signal: AbortSignal): Promise<Answers> {
  const required = requiredOf(schema);
  const answers: [string, unknown][] = [];
  for (const [name, property] of propertiesOf(schema)) {
    const isRequired = required.includes(name);
    // What was answered before is proposed again.
    const preset = Object.hasOwn(given, name)
      ? { ...(property as JsonSchema), default: given[name] }
      : property;
    const answer = await askField({ name, schema: preset, root: schema, isRequired }, cli, signal);
    if (answer !== undefined) answers.push([name, answer]);
  }
  return Object.fromEntries(answers);
}

/** Forms of one field are sent with Enter; longer ones are shown once more. */
async function review(schema: JsonSchema, answers: Answers, cli: Cli, signal: AbortSignal): Promise<Action> {
  const { size } = propertiesOf(schema);
  if (size === 1) return 'accept';
  const options: { value: Action; label: string; hint?: string }[] = [
    { value: 'accept', label: size === 0 ? 'Accept' : 'Send', hint: summarize(answers) },
    ...(size === 0 ? [] : [{ value: 'again' as const, label: 'Change' }]),
    { value: 'decline', label: 'Decline' },
    { value: 'cancel', label: 'Cancel the question' },
  ];
  const message = size === 0 ? 'Your answer' : 'Send these answers?';
  return prompt(cli, streams => select<Action>({ ...streams, message, options }), signal);
}

function summarize(answers: Answers): string {
  const parts = Object.entries(answers).map(
    ([name, value]) => `${plainLine(name)}: ${plainLine(String(value))}`,
  );
  return parts.join(', ').slice(0, 200);
}

async function leave(cli: Cli, signal: AbortSignal): Promise<Action> {
  const options = [
    { value: 'again', label: 'Go on answering' },
    { value: 'decline', label: 'Decline', hint: 'the server is told that you do not want to answer' },
    { value: 'cancel', label: 'Cancel the question', hint: 'the server is told that you did not answer' },
  ];
  try {
    const message = 'Leave this question?';
    return (await prompt(cli, streams => select({ ...streams, message, options }), signal)) as Action;
  } catch (error) {
    if (error instanceof Left) return 'again';
    throw error;
  }
}

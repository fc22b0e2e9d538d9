import { confirm, multiselect, select, text } from '@clack/prompts';
import type { JsonSchema } from 'tenon/protocol';
import type { Cli } from '../cli.js';
import { type Choice, choicesOf, describeType } from '../schema/describe-type.js';
import { countProblem, numberProblem, textProblem } from '../schema/field-problem.js';
import { resolveSchema, typesOf } from '../schema/resolve.js';
import { plainLine } from '../terminal/plain-text.js';
import { prompt } from './prompting.js';

/** A field of a form, or an argument of a tool. */
export interface Field {
  readonly name: string;
  readonly schema: unknown;
  /** The document that references in the schema point into. */
  readonly root: JsonSchema;
  readonly isRequired: boolean;
}

/** Asks for one value, by its schema. Resolves with undefined if the user leaves an optional field out. */
export function askField(field: Field, cli: Cli, signal?: AbortSignal): Promise<unknown> {
  const schema = resolveSchema(field.schema, field.root);
  const items = resolveSchema(schema.items, field.root);
  const [type = 'any'] = typesOf(schema).filter(one => one !== 'null');
  const choices = choicesOf(schema);
  const listed = type === 'array' ? choicesOf(items) : undefined;
  const question: Question = { field, schema, message: messageOf(field, schema, cli), cli, signal };
  if (choices) return askChoice(question, choices);
  if (listed) return askChoices(question, listed);
  if (type === 'boolean') return askYesNo(question);
  if (type === 'string')
    return askText(
      question,
      typed => textProblem(typed, schema),
      typed => typed,
    );
  if (type === 'number' || type === 'integer')
    return askText(question, typed => numberProblem(typed, schema), Number);
  return askText(question, jsonProblem, typed => JSON.parse(typed));
}

interface Question {
  readonly field: Field;
  readonly schema: JsonSchema;
  readonly message: string;
  readonly cli: Cli;
  readonly signal: AbortSignal | undefined;
}

/** The title of the field, its description, and what it takes, on one line: text prompts show only one well. */
function messageOf({ name, schema, root, isRequired }: Field, resolved: JsonSchema, { output }: Cli): string {
  const { bold, dim } = output.noteColours;
  const { title, description } = resolved;
  const label = plainLine(typeof title === 'string' ? title : name);
  const about = typeof description === 'string' ? `: ${plainLine(description)}` : '';
  const isChosen = choicesOf(resolved) !== undefined || typesOf(resolved).some(type => CHOSEN.has(type));
  const notes = [isChosen ? '' : describeType(schema, root), isRequired ? '' : 'optional']
    .filter(Boolean)
    .join('; ');
  return `${bold(label)}${about}${notes && dim(` (${notes})`)}`;
}

/** Types whose values are chosen, so that the choices say what they take. */
const CHOSEN: ReadonlySet<string> = new Set(['array', 'boolean']);

/** Options have the numbers of the choices as their values, because choices may be any text. */
async function askChoice({ field, schema, message, cli, signal }: Question, choices: readonly Choice[]) {
  const options = choices.map(({ value, title }, index) => ({
    value: index,
    label: plainLine(title),
    ...(value !== title && { hint: plainLine(value) }),
  }));
  if (!field.isRequired) options.push({ value: -1, label: '(leave out)' });
  const preset = choices.findIndex(({ value }) => value === schema.default);
  const initialValue = preset === -1 && !field.isRequired ? -1 : Math.max(0, preset);
  const chosen = await prompt(
    cli,
    streams => select({ ...streams, message, options, initialValue, maxItems: 12 }),
    signal,
  );
  const choice = choices[chosen];
  return choice && original(choice.value, schema);
}

/** The value itself where choices are not texts, as in arguments of tools. */
function original(chosen: string, { enum: values }: JsonSchema): unknown {
  const others = Array.isArray(values) ? values.filter(value => typeof value !== 'string') : [];
  return others.find(value => JSON.stringify(value) === chosen) ?? chosen;
}

async function askChoices({ field, schema, message, cli, signal }: Question, choices: readonly Choice[]) {
  const initialValues = Array.isArray(schema.default) ? schema.default.map(String) : [];
  const options = choices.map(({ value, title }) => ({ value, label: plainLine(title) }));
  let note = '';
  for (;;) {
    const chosen = await prompt(
      cli,
      streams =>
        multiselect({ ...streams, message: `${message}${note}`, options, initialValues, required: false }),
      signal,
    );
    if (chosen.length === 0 && !field.isRequired) return undefined;
    const problem = countProblem(chosen.length, schema);
    if (!problem) return chosen;
    note = `\n${cli.output.noteColours.yellow(problem)}`;
  }
}

async function askYesNo({ field, schema, message, cli, signal }: Question) {
  const initialValue = typeof schema.default === 'boolean' ? schema.default : undefined;
  if (field.isRequired || initialValue !== undefined) {
    return prompt(
      cli,
      streams => confirm({ ...streams, message, initialValue: initialValue ?? false }),
      signal,
    );
  }
  const options = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
    { value: 'none', label: '(leave out)' },
  ];
  const chosen = await prompt(
    cli,
    streams => select({ ...streams, message, options, initialValue: 'none' }),
    signal,
  );
  return chosen === 'none' ? undefined : chosen === 'yes';
}

async function askText(
  { field, schema, message, cli, signal }: Question,
  problemOf: (typed: string) => string | undefined,
  read: (typed: string) => unknown,
): Promise<unknown> {
  const preset = schema.default === undefined ? undefined : textOf(schema.default);
  const typed = await prompt(
    cli,
    streams =>
      text({
        ...streams,
        message,
        ...(preset !== undefined && { initialValue: preset }),
        ...(preset === undefined && !field.isRequired && { placeholder: 'Enter to leave it out' }),
        validate: (value = '') => (value === '' && !field.isRequired ? undefined : problemOf(value)),
      }),
    signal,
  );
  // clack resolves with undefined where nothing was typed.
  const value = typed ?? '';
  return value === '' && !field.isRequired ? undefined : read(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? plainLine(value) : JSON.stringify(value);
}

function jsonProblem(typed: string): string | undefined {
  try {
    JSON.parse(typed);
    return undefined;
  } catch {
    return 'JSON, please, such as {"name": "value"} or [1, 2]';
  }
}

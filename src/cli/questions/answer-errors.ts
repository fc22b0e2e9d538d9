import type { ElicitFormParams, ElicitUrlParams, JsonSchema } from 'tenon/protocol';
import { type CliError, usageError } from '../failure.js';
import { describeType } from '../schema/describe-type.js';
import { propertiesOf, requiredOf, resolveSchema } from '../schema/resolve.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { quoteWord } from '../terminal/shell-words.js';
import { table } from '../terminal/table.js';
import type { Contents } from './answer-problem.js';
import { suggestAnswer } from './suggest-answer.js';

const MAX_FIELDS = 30;

/** The error about a form that nobody is there to fill in. */
export function nobodyToFillIn(form: ElicitFormParams): CliError {
  return usageError(
    `the server asks ${quote(form.message)}, and there is no terminal to ask on\n${describeForm(form.requestedSchema)}`,
    `Add ${suggestAnswer(form)}, with your own values, or --answer decline. ${EACH}`,
  );
}

/** The error about a page that nobody is there to open. */
export function nobodyToVisit({ message, url }: ElicitUrlParams): CliError {
  return usageError(
    `the server asks ${quote(message)} and names the page ${plainLine(url)}, and there is no terminal to ask on`,
    `Open the page yourself and add --answer accept, or add --answer decline. ${EACH}`,
  );
}

/** The error about an `--answer` that does not fit the form of a question. */
export function misfitOf(
  given: string,
  contents: Contents,
  form: ElicitFormParams,
  problem: string,
): CliError {
  return usageError(
    `--answer ${quoteWord(plainLine(given).slice(0, 200))} does not fit the question ${quote(form.message)}: ${problem}\n` +
      describeForm(form.requestedSchema),
    `Write ${suggestAnswer(form, contents)}, or --answer decline.`,
  );
}

/** The error about the contents of a form where the server only wants to send the user to a page. */
export function noFormToFillIn(given: string, { message }: ElicitUrlParams): CliError {
  return usageError(
    `--answer ${quoteWord(plainLine(given).slice(0, 200))} does not fit the question ${quote(message)}: ` +
      'the server asks you to visit a page, and there is no form',
    'Write --answer accept, --answer decline or --answer cancel.',
  );
}

const EACH = 'Each question takes one --answer, in the order in which they are asked.';

function quote(message: string): string {
  return `“${plainLine(plainText(message)).slice(0, 300)}”`;
}

/** The fields of a form, one per line, with what they take. */
function describeForm(form: JsonSchema): string {
  const fields = [...propertiesOf(form)];
  if (fields.length === 0) return 'The form has no fields.';
  const required = requiredOf(form);
  const rows = fields.slice(0, MAX_FIELDS).map(([name, field]) => {
    const schema = resolveSchema(field, form);
    const preset = schema.default === undefined ? 'optional' : `default ${JSON.stringify(schema.default)}`;
    const need = required.includes(name) && schema.default === undefined ? 'required' : preset;
    const about = schema.description ?? schema.title;
    const cells = [`  ${plainLine(name)}`, describeType(field, form), plainLine(need).slice(0, 60)];
    return typeof about === 'string' ? [...cells, plainLine(about)] : cells;
  });
  const more = fields.length > MAX_FIELDS ? [`  … and ${fields.length - MAX_FIELDS} more`] : [];
  return ['Its form has these fields:', ...table(rows, Number.POSITIVE_INFINITY), ...more].join('\n');
}

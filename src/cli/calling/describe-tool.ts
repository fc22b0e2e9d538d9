import type { JsonSchema, Tool } from 'tenon/protocol';
import { describeType } from '../schema/describe-type.js';
import { propertiesOf, requiredOf, resolveSchema, typesOf } from '../schema/resolve.js';
import { taskSupportOf } from '../schema/task-support.js';
import type { Output } from '../terminal/output.js';
import { plainLine, plainText } from '../terminal/plain-text.js';
import { table, wrap } from '../terminal/table.js';

/** Prints what a tool does and which arguments it takes. */
export function describeTool(tool: Tool, output: Output): void {
  if (output.isJson) return output.json(tool);
  const { bold, dim } = output.colours;
  const { name, title, description, inputSchema, outputSchema } = tool;
  const heading = [
    bold(plainLine(name)),
    title && title !== name ? plainLine(title) : '',
    dim(describeHints(tool)),
  ];
  output.print(heading.filter(Boolean).join('  '));
  if (description) printWrapped(plainText(description), '', output);
  printArguments('Arguments', inputSchema, output, name => `--${name}`);
  if (outputSchema) printArguments('Result', outputSchema, output, name => name);
}

/** What a tool says about its effects. */
export function describeHints(tool: Tool): string {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  return [
    readOnlyHint && 'read-only',
    !readOnlyHint && destructiveHint && 'destructive',
    !readOnlyHint && idempotentHint && 'idempotent',
    openWorldHint && 'reaches out',
    taskSupportOf(tool) === 'required' && 'only as a task',
  ]
    .filter(Boolean)
    .join(', ');
}

/** The arguments on one line: `<dish> [guests]`. */
export function summarizeArguments(schema: JsonSchema): string {
  const resolved = resolveSchema(schema, schema);
  const required = requiredOf(resolved);
  const names = [...propertiesOf(resolved).keys()];
  const shown = names.map(name =>
    required.includes(name) ? `<${plainLine(name)}>` : `[${plainLine(name)}]`,
  );
  return shown.sort((a, b) => Number(a.startsWith('[')) - Number(b.startsWith('['))).join(' ');
}

function printArguments(
  heading: string,
  schema: JsonSchema,
  output: Output,
  label: (name: string) => string,
): void {
  const resolved = resolveSchema(schema, schema);
  const properties = propertiesOf(resolved);
  output.print();
  const { bold } = output.colours;
  if (properties.size === 0) {
    const isObject = typesOf(resolved).includes('object');
    return output.print(`${bold(heading)}: ${isObject ? 'none' : describeType(schema, schema)}`);
  }
  output.print(bold(heading));
  const rows = propertyRows(resolved, schema, '', label, 0);
  const { cyan, dim } = output.colours;
  const cells = rows.map(({ name, type, notes }) => [
    `  ${cyan(name)}`,
    type,
    ...(notes ? [dim(notes)] : []),
  ]);
  for (const [index, line] of table(cells, Number.POSITIVE_INFINITY).entries()) {
    output.print(line);
    const about = rows[index]?.about;
    if (about) printWrapped(about, '      ', output);
  }
}

interface PropertyRow {
  readonly name: string;
  readonly type: string;
  readonly notes: string;
  readonly about: string;
}

/** Members of objects follow their object. A schema that recurses ends after a few levels. */
function propertyRows(
  schema: JsonSchema,
  root: JsonSchema,
  prefix: string,
  label: (name: string) => string,
  depth: number,
): PropertyRow[] {
  const required = requiredOf(schema);
  return [...propertiesOf(schema)].flatMap(([name, property]) => {
    const resolved = resolveSchema(property, root);
    const full = `${prefix}${plainLine(name)}`;
    const notes = [required.includes(name) ? 'required' : '', describeDefault(resolved)]
      .filter(Boolean)
      .join(', ');
    const about = typeof resolved.description === 'string' ? plainText(resolved.description) : '';
    const row = { name: label(full), type: describeType(property, root), notes, about };
    return [row, ...(depth < 2 ? propertyRows(resolved, root, `${full}.`, label, depth + 1) : [])];
  });
}

function describeDefault({ default: value }: JsonSchema): string {
  return value === undefined ? '' : `default ${plainLine(JSON.stringify(value)).slice(0, 60)}`;
}

function printWrapped(text: string, indent: string, output: Output): void {
  for (const line of wrap(text, Math.min(output.width, 100) - indent.length)) {
    output.print(`${indent}${output.colours.dim(line)}`);
  }
}

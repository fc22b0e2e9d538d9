import { parameterHeaderProblem } from 'tenon/protocol';
import { isObject } from '../../is-object.js';
import { plainLine } from '../../terminal/plain-text.js';
import type { Finding } from '../finding.js';
import { pageOf } from '../spec-page.js';
import { schemaProblem } from './schema-problem.js';

const SHOWN = 3;
const TOOL_NAME = /^[\w.\-/]{1,128}$/;

/** What is wrong with the tools of a server. */
export function inspectTools(tools: readonly unknown[]): Finding[] {
  const page = pageOf('server/tools#tool');
  const faults = tools.flatMap((tool, index) => {
    const { name, inputSchema, outputSchema } = isObject(tool) ? tool : {};
    const label = labelOf(name, index);
    const input = inputProblem(inputSchema);
    const output = outputSchema === undefined ? undefined : schemaProblem(outputSchema);
    return [
      ...(input ? [`${label}: the input schema ${input}`] : []),
      ...(output ? [`${label}: the output schema ${output}`] : []),
    ];
  });
  const odd = namesOf(tools).filter(name => !TOOL_NAME.test(name));
  return [
    ...report(faults, {
      cause: 'invalid-schema',
      title: 'invalid schema',
      page,
      todo: 'Correct the schema; clients and models refuse the tool, and some refuse the whole list.',
    }),
    ...entries('tool', tools, 'name', page),
    ...(odd.length > 0
      ? [
          {
            cause: 'invalid-entry',
            severity: 'warning',
            title: `the tool "${plainLine(odd[0] as string)}" has a name that some clients and models refuse`,
            page: pageOf('server/tools#tool-names'),
            todo: 'Use letters, digits, "_", "-", "." and "/", at most 128 of them.',
          } as const,
        ]
      : []),
  ];
}

export function inspectResources(resources: readonly unknown[]): Finding[] {
  return entries('resource', resources, 'uri', pageOf('server/resources#resource'));
}

export function inspectPrompts(prompts: readonly unknown[]): Finding[] {
  return entries('prompt', prompts, 'name', pageOf('server/prompts#prompt'));
}

function inputProblem(schema: unknown): string | undefined {
  if (schema === undefined) return 'is missing';
  const problem = schemaProblem(schema);
  if (problem) return problem;
  if (!isObject(schema) || schema.type !== 'object') return 'must have "type": "object" at its root';
  return parameterHeaderProblem(schema);
}

/** Entries without the member that identifies them, and entries that share it. */
function entries(kind: string, list: readonly unknown[], key: string, page: string): Finding[] {
  const names = namesOf(list, key);
  const once = new Set<string>();
  const twice = new Set(names.filter(name => once.has(name) || !once.add(name)));
  const faults = [
    ...list.flatMap((entry, index) => {
      const name = isObject(entry) ? entry[key] : undefined;
      return typeof name === 'string' && name !== '' ? [] : [`${kind} ${index + 1} has no ${key}`];
    }),
    ...[...twice].map(name => `there are several of the ${key} "${plainLine(name)}"`),
  ];
  const todo = `Give each ${kind} a ${key} of its own.`;
  return report(faults, { cause: 'invalid-entry', title: `invalid ${kind}`, page, todo });
}

function namesOf(list: readonly unknown[], key = 'name'): string[] {
  return list.flatMap(entry =>
    isObject(entry) && typeof entry[key] === 'string' ? [entry[key] as string] : [],
  );
}

function labelOf(name: unknown, index: number): string {
  return typeof name === 'string' ? `tool "${plainLine(name)}"` : `tool ${index + 1}`;
}

function report(
  faults: readonly string[],
  base: Pick<Finding, 'cause' | 'title' | 'page' | 'todo'>,
): Finding[] {
  const [first, ...others] = faults;
  if (first === undefined) return [];
  const more = others.length > SHOWN ? ` | and ${others.length - SHOWN} more` : '';
  const detail = others.length > 0 ? `Also: ${others.slice(0, SHOWN).join(' | ')}${more}` : undefined;
  return [{ ...base, severity: 'error', title: `${base.title}: ${first}`, detail }];
}

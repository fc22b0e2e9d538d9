import { type Prompt, parseTemplate, type Resource, type ResourceTemplate, type Tool } from 'tenon/protocol';
import type { Subject } from '../place.js';
import type { Schema } from '../schema/schema.js';
import { isSchema } from '../schema/schema.js';

export type Item = Tool | Resource | ResourceTemplate | Prompt;

/** What can be done with a subject: the request, and the form for its values. */
export interface Task {
  readonly method: string;
  /** The word on the button. */
  readonly verb: string;
  readonly schema: Schema;
  toParams(value: Record<string, unknown>): Record<string, unknown>;
  /** The values of the form that led to a request. */
  fromParams(params: Record<string, unknown>): unknown;
  /** What completions refer to, if the server may have some. */
  readonly reference?: Record<string, unknown>;
}

export function taskOf({ kind, name }: Subject, item: Item | undefined): Task {
  switch (kind) {
    case 'tool':
      return {
        method: 'tools/call',
        verb: 'Run',
        schema: schemaIn(item),
        toParams: value => ({ name, arguments: value }),
        fromParams: params => params.arguments ?? {},
      };
    case 'resource':
    case 'skill':
      return {
        method: 'resources/read',
        verb: 'Read',
        schema: {},
        toParams: () => ({ uri: name }),
        fromParams: () => ({}),
      };
    case 'template':
      return templateTask(name);
    case 'prompt':
      return promptTask(name, item as Prompt | undefined);
  }
}

function templateTask(template: string): Task {
  const parsed = parseTemplate(template);
  const properties = Object.fromEntries(
    [...template.matchAll(/\{[+#./;?&]?([^}]+)\}/g)]
      .flatMap(([, list = '']) => list.split(','))
      .map(name => [name.replace(/(\*|:\d+)$/, ''), { type: 'string' }]),
  );
  return {
    method: 'resources/read',
    verb: 'Read',
    schema: { type: 'object', properties, required: Object.keys(properties) },
    toParams: value => ({ uri: parsed.expand(value as Record<string, string>) }),
    fromParams: params => parsed.match(String(params.uri)) ?? {},
    reference: { type: 'ref/resource', uri: template },
  };
}

function promptTask(name: string, prompt: Prompt | undefined): Task {
  const given = prompt?.arguments ?? [];
  const properties = given.map(({ name, title, description }) => [
    name,
    { type: 'string', title, description },
  ]);
  return {
    method: 'prompts/get',
    verb: 'Get',
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: given.filter(argument => argument.required).map(argument => argument.name),
    },
    toParams: value => ({ name, ...(given.length > 0 && { arguments: value }) }),
    fromParams: params => params.arguments ?? {},
    reference: { type: 'ref/prompt', name },
  };
}

function schemaIn(item: Item | undefined): Schema {
  const schema: unknown = item && 'inputSchema' in item ? item.inputSchema : undefined;
  return isSchema(schema) ? schema : {};
}

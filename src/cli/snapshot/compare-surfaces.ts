import type { Prompt, Resource, ResourceTemplate, Tool } from 'tenon/protocol';
import { isObject } from '../is-object.js';
import { taskSupportOf } from '../schema/task-support.js';
import type { Change } from './change.js';
import { compareSchemas, type Way } from './compare-schemas.js';
import type { Surface } from './surface.js';

/** What has changed between two snapshots, the breaking changes first. */
export function compareSurfaces(before: Surface, after: Surface): Change[] {
  const changes = [
    ...compareServers(before, after),
    ...compareCapabilities('', before.capabilities, after.capabilities),
    ...compareLists('tool', before.tools, after.tools, tool => tool.name, compareTools),
    ...compareLists('prompt', before.prompts, after.prompts, prompt => prompt.name, comparePrompts),
    ...compareLists('resource', before.resources, after.resources, one => one.uri, compareResources),
    ...compareLists('template', before.templates, after.templates, one => one.uriTemplate, compareResources),
  ];
  return changes.sort((a, b) => Number(b.isBreaking) - Number(a.isBreaking));
}

/** A change without its place. */
type Part = Omit<Change, 'where'>;

function compareLists<T>(
  kind: string,
  before: readonly T[],
  after: readonly T[],
  keyOf: (one: T) => string,
  compareOne: (before: T, after: T) => Part[],
): Change[] {
  const offered = new Map(after.map(one => [keyOf(one), one]));
  const known = new Set(before.map(keyOf));
  const kept = before.flatMap(one => {
    const where = `${kind} ${keyOf(one)}`;
    const other = offered.get(keyOf(one));
    if (!other) return [{ isBreaking: true, where, what: 'was removed' }];
    return compareOne(one, other).map(part => ({ where, ...part }));
  });
  const added = [...offered.keys()].filter(key => !known.has(key));
  return [...kept, ...added.map(key => ({ isBreaking: false, where: `${kind} ${key}`, what: 'was added' }))];
}

function compareServers(before: Surface, after: Surface): Change[] {
  const texts = compareTexts(before.server, after.server, ['name', 'title']);
  const instructions = compareTexts(before, after, ['instructions']);
  return [...texts, ...instructions].map(part => ({ where: 'server', ...part }));
}

/** What a server declares is an object of objects and flags: what is gone or no longer true breaks clients. */
function compareCapabilities(path: string, before: object, after: object): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.flatMap(name => {
    const where = `capability ${path}${name}`;
    const [left, right] = [Reflect.get(before, name), Reflect.get(after, name)];
    const [had, has] = [left, right].map(one => one !== undefined && one !== false && one !== null);
    if (had && !has) return [{ isBreaking: true, where, what: 'was removed' }];
    if (!had && has) return [{ isBreaking: false, where, what: 'was added' }];
    return isObject(left) && isObject(right) ? compareCapabilities(`${path}${name}.`, left, right) : [];
  });
}

function compareTools(before: Tool, after: Tool): Part[] {
  return [
    ...compareSchemaOf('input', before.inputSchema, after.inputSchema),
    ...compareOutputs(before, after),
    ...compareAnnotations(before, after),
    ...compareTaskSupport(before, after),
    ...compareTexts(before, after, ['title', 'description']),
  ];
}

function compareSchemaOf(way: Way, before: object, after: object): Part[] {
  return compareSchemas({ ...before }, { ...after }, way).map(({ isBreaking, what }) => ({
    isBreaking,
    what: `${way}: ${what}`,
  }));
}

function compareOutputs({ outputSchema: before }: Tool, { outputSchema: after }: Tool): Part[] {
  if (before && after) return compareSchemaOf('output', before, after);
  if (before) return [{ isBreaking: true, what: 'output: the schema was removed' }];
  return after ? [{ isBreaking: false, what: 'output: a schema was added' }] : [];
}

/** The value of each hint on which hosts rely, for example to call a tool without asking. Any other is weaker. */
const RELIED_ON: readonly [string, boolean][] = [
  ['readOnlyHint', true],
  ['destructiveHint', false],
  ['idempotentHint', true],
  ['openWorldHint', false],
];

function compareAnnotations({ annotations: before }: Tool, { annotations: after }: Tool): Part[] {
  return RELIED_ON.flatMap(([hint, relied]) => {
    const [left, right] = [before, after].map(one => Reflect.get(one ?? {}, hint));
    if (left === right) return [];
    const what = `annotation ${hint} was ${left ?? 'not set'}, and is ${right ?? 'not set'}`;
    return [{ isBreaking: left === relied, what }];
  });
}

function compareTaskSupport(before: Tool, after: Tool): Part[] {
  const [left, right] = [taskSupportOf(before), taskSupportOf(after)];
  if (left === right) return [];
  const isBreaking = right !== 'optional';
  return [{ isBreaking, what: `task support was ${left}, and is ${right}` }];
}

function comparePrompts(before: Prompt, after: Prompt): Part[] {
  const [left, right] = [before, after].map(one => new Map(one.arguments?.map(each => [each.name, each])));
  const changes: Part[] = [];
  for (const [name, argument] of left ?? []) {
    const now = right?.get(name);
    if (!now) changes.push({ isBreaking: true, what: `argument ${name} was removed` });
    else if (!argument.required && now.required)
      changes.push({ isBreaking: true, what: `argument ${name} is now required` });
    else if (argument.required && !now.required)
      changes.push({ isBreaking: false, what: `argument ${name} is no longer required` });
  }
  for (const [name, { required }] of right ?? []) {
    if (!left?.has(name))
      changes.push({
        isBreaking: required === true,
        what: `argument ${name} was added${required ? ', and is required' : ''}`,
      });
  }
  return [...changes, ...compareTexts(before, after, ['title', 'description'])];
}

function compareResources(before: Resource | ResourceTemplate, after: Resource | ResourceTemplate): Part[] {
  const { mimeType: left } = before;
  const { mimeType: right } = after;
  const isBreaking = left !== undefined;
  const type =
    left === right
      ? []
      : [{ isBreaking, what: `type was ${left ?? 'not set'}, and is ${right ?? 'not set'}` }];
  return [...type, ...compareTexts(before, after, ['name', 'title', 'description'])];
}

function compareTexts(before: object, after: object, names: readonly string[]): Part[] {
  return names
    .filter(name => Reflect.get(before, name) !== Reflect.get(after, name))
    .map(name => ({ isBreaking: false, what: `${name} changed` }));
}

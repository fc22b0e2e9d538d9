import type { JsonSchema } from 'tenon/protocol';
import { usageError } from '../failure.js';
import { isObject } from '../is-object.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';
import { readValue } from './read-value.js';
import { propertiesOf, resolveSchema, typesOf } from './resolve.js';

/** The arguments of a tool or prompt, by name. */
export type Arguments = Record<string, unknown>;

/**
 * Reads words such as `--guests 2 --wine.colour red --dish soup --dish quiche --outside` by the schema of the arguments.
 * `pairs` are `name=value`, for names that options of the command have, too.
 */
export function readArguments(
  words: readonly string[],
  pairs: readonly string[],
  schema: JsonSchema,
): Arguments {
  const args: Arguments = {};
  for (const pair of pairs) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      throw usageError(`--arg "${plainLine(pair)}" has no value`, 'Write it as --arg name=value.');
    }
    put(args, findPlace(name, schema), value);
  }
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) throw unexpected(word, schema);
    const negated = negatedFlag(name, schema);
    if (negated) put(args, negated, 'false');
    else {
      const place = findPlace(name, schema);
      put(args, place, value ?? (takesNext(place, rest[0]) ? rest.shift() : undefined));
    }
  }
  return args;
}

/** Where a value belongs: the names that lead to it, and the schema that it has there. */
interface Place {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
  /** As the user wrote it. */
  readonly option: string;
}

function findPlace(dotted: string, root: JsonSchema): Place {
  const path: string[] = [];
  let schema = resolveSchema(root, root);
  const whole = findProperty(dotted, schema);
  const parts = whole === undefined ? dotted.split('.') : [dotted];
  for (const part of parts) {
    const properties = propertiesOf(schema);
    const name = findProperty(part, schema);
    const isOpen =
      properties.size === 0 || schema.additionalProperties === true || isObject(schema.additionalProperties);
    if (name === undefined && !isOpen) throw unknownArgument(dotted, part, [...properties.keys()]);
    path.push(name ?? part);
    const next = name === undefined ? schema.additionalProperties : properties.get(name);
    schema = resolveSchema(next, root);
  }
  return { path, schema, root, option: `--${dotted}` };
}

/** The property that a word means: `--table-id` may be `table_id` or `tableId`. */
function findProperty(word: string, schema: JsonSchema): string | undefined {
  const names = [...propertiesOf(schema).keys()];
  return names.find(name => name === word) ?? names.find(name => bare(name) === bare(word));
}

function bare(name: string): string {
  return name.replace(/[-_]/g, '').toLowerCase();
}

/** `--no-outside` is `--outside false`. */
function negatedFlag(name: string, schema: JsonSchema): Place | undefined {
  if (!name.startsWith('no-') || findProperty(name, schema) !== undefined) return undefined;
  if (findProperty(name.slice(3), schema) === undefined) return undefined;
  const place = findPlace(name.slice(3), schema);
  return isFlag(place.schema) ? place : undefined;
}

function isFlag(schema: JsonSchema): boolean {
  return (
    typesOf(schema)
      .filter(type => type !== 'null')
      .join() === 'boolean'
  );
}

function takesNext({ schema }: Place, next: string | undefined): boolean {
  if (next === undefined) return false;
  if (isFlag(schema)) return /^(true|false|yes|no)$/i.test(next);
  // A negative number is a value, too.
  return !/^--./.test(next) || /^-\d/.test(next);
}

function put(args: Arguments, { path, schema, root, option }: Place, text: string | undefined): void {
  if (text === undefined && !isFlag(schema))
    throw usageError(`${option} needs a value`, `Write it as ${option} VALUE.`);
  const [name = '', ...parents] = [...path].reverse();
  const owner = parents.reverse().reduce(childOf, args);
  const given = text ?? 'true';
  const isList = typesOf(schema).includes('array');
  if (isList && !/^\s*\[/.test(given)) {
    const items = [Object.hasOwn(owner, name) ? owner[name] : []].flat();
    define(owner, name, [...items, readValue(given, schema.items ?? {}, root, option)]);
  } else define(owner, name, readValue(given, schema, root, option));
}

function childOf(owner: Arguments, name: string): Arguments {
  if (!Object.hasOwn(owner, name)) define(owner, name, {});
  const child = owner[name];
  if (isObject(child)) return child;
  throw usageError(`"${name}" is given as a value and by its members`, 'Give it in one way only.');
}

/** An argument may be called `__proto__`. */
function define(owner: Arguments, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, enumerable: true, configurable: true, writable: true });
}

function unknownArgument(dotted: string, part: string, names: readonly string[]): Error {
  const near = closest(part, names);
  const known = names.slice(0, 30).map(name => `--${name}`);
  const all = known.length > 0 ? `It has: ${known.join(', ')}` : 'It has no arguments.';
  const next = near === undefined ? all : `Did you mean --${dotted.replace(part, near)}?`;
  return usageError(`there is no argument --${plainLine(dotted)}`, plainLine(next));
}

function unexpected(word: string, schema: JsonSchema): Error {
  const [first = 'name'] = propertiesOf(resolveSchema(schema, schema)).keys();
  return usageError(
    `"${plainLine(word)}" is not expected here`,
    `Arguments are given as --${plainLine(first)} VALUE, or all together as --args '{…}', @file, or - for standard input.`,
  );
}

import { clip } from '../base/clip.js';
import { isObject, type JsonObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { forEachInTurns } from '../base/turns.js';
import { InvalidAnswer } from '../protocol/failures.js';
import {
  type ParameterHeader,
  parameterHeaders,
  readParameterHeaders,
} from '../protocol/parameter-headers.js';
import type { Tool } from '../protocol/tools.js';
import { compileUntrustedSchema, type UntrustedSchema } from './untrusted-schema.js';
import { beforeWork, measure } from './weight.js';

interface KnownTool {
  headers: readonly ParameterHeader[];
  outputSchema: unknown;
  /** Undefined if the schema is of an unknown dialect, so that results are not checked. */
  output?: Promise<UntrustedSchema | undefined>;
}

/** How many values an input schema may have if it may declare headers. */
const MAX_VALUES = 20_000;
const TOO_LARGE = `the input schema has more than ${MAX_VALUES} values`;
const NOTHING = { values: 0 };
/** Costs of looking at a tool and at its schema, in units of about 10 ns. */
const SKIP_COST = 2;
const TOOL_COST = 100;
const VALUE_COST = 20;

/** Remembers the tools that a server has listed. */
export class KnownTools {
  /** The tools of the latest list, as far as it was read. */
  #known = new Map<string, KnownTool>();
  /** The tools of the list before it; those of older lists are forgotten. */
  #former = new Map<string, KnownTool>();
  /** The tools that the author was told of because they are left out, each with the reason. */
  readonly #reported = new Set<string>();
  /** Whether the tools have changed since the latest list began. */
  #isOutdated = false;

  /** Starts a new list; tools that it does not contain are forgotten when the list after it starts. */
  beginList(): void {
    this.#former = this.#known;
    this.#known = new Map();
    this.#isOutdated = false;
  }

  /** The tools have changed. What is known of them is used until the next list. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** Whether a tool is known as it is now. */
  knows(name: unknown): boolean {
    return !this.#isOutdated && this.#find(name) !== undefined;
  }

  /** Remembers a page, and leaves out the tools that cannot be called because their header declarations are invalid. */
  async learn(
    tools: readonly Tool[],
    mirrorsParameters: boolean,
    warn: (message: string) => void,
  ): Promise<Tool[]> {
    const kept: Tool[] = [];
    const leftOut: string[] = [];
    // In turns, so that a very long list does not block other work of the process.
    await forEachInTurns(tools, tool => {
      if (!isObject(tool) || typeof tool.name !== 'string') return SKIP_COST;
      const { name, inputSchema, outputSchema } = tool;
      const weight = mirrorsParameters ? measure(inputSchema, MAX_VALUES) : NOTHING;
      const headers = weight ? readHeaders(inputSchema, mirrorsParameters) : TOO_LARGE;
      if (typeof headers === 'string') leftOut.push(`${clip(name)}: ${clip(headers, 200)}`);
      else {
        this.#known.set(name, { headers, outputSchema });
        kept.push(tool);
      }
      return TOOL_COST + VALUE_COST * (weight?.values ?? MAX_VALUES);
    });
    // A list is read again and again, also from the cache.
    const unreported = leftOut.filter(reason => !this.#reported.has(reason));
    if (unreported.length > 0) warn(describeLeftOut(unreported));
    if (this.#reported.size > MAX_REMEMBERED) this.#reported.clear();
    for (const reason of unreported.slice(0, MAX_REMEMBERED)) this.#reported.add(reason);
    return kept;
  }

  /** The headers that mirror the arguments of a call with these parameters. */
  headersOf(params: JsonObject): Record<string, string> | undefined {
    const headers = this.#find(params.name)?.headers;
    return headers && headers.length > 0 ? parameterHeaders(headers, params.arguments) : undefined;
  }

  /** Throws `InvalidAnswer` if a result does not match the output schema of its tool. */
  async check(name: unknown, result: JsonObject, warn: (message: string) => void): Promise<void> {
    const tool = this.#find(name);
    if (tool?.outputSchema === undefined || result.isError || !isComplete(result)) return;
    if (result.structuredContent === undefined) {
      throw new InvalidAnswer(
        `the tool ${name} has an output schema, but its result has no structured content`,
      );
    }
    tool.output ??= compileUntrustedSchema(tool.outputSchema).catch(cause => {
      if (!isOfUnknownDialect(cause)) throw cause;
      warn(`results of the tool ${name} are not checked: ${messageOf(cause)}`);
      return undefined;
    });
    let problem: string | undefined;
    try {
      const schema = await tool.output;
      await beforeWork(result.structuredContent);
      problem = schema?.check(result.structuredContent)?.problem;
    } catch (cause) {
      throw new InvalidAnswer(`the result of the tool ${name} cannot be checked: ${messageOf(cause)}`, {
        cause,
      });
    }
    if (problem)
      throw new InvalidAnswer(`the result of the tool ${name} does not match its output schema: ${problem}`);
  }

  #find(name: unknown): KnownTool | undefined {
    return this.#known.get(name as string) ?? this.#former.get(name as string);
  }
}

/** Results of other types are not what the output schema is about. */
function isComplete({ resultType }: JsonObject): boolean {
  return resultType === undefined || resultType === 'complete';
}

/** A result that cannot be checked is not wrong: the tool may have done its work. */
function isOfUnknownDialect(cause: unknown): boolean {
  return isObject(cause) && cause.reason === 'dialect';
}

/** Most schemas declare no headers, and are not parsed further. */
function readHeaders(inputSchema: unknown, mirrorsParameters: boolean): readonly ParameterHeader[] | string {
  return mirrorsParameters && mentions(inputSchema, 'x-mcp-header') ? readParameterHeaders(inputSchema) : [];
}

/** Whether a name occurs anywhere in a value. */
function mentions(value: unknown, name: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(item => mentions(item, name));
  for (const key in value) {
    if (key === name || mentions((value as JsonObject)[key], name)) return true;
  }
  return false;
}

/** The warning about tools that are left out. It is limited, as there may be any number of them. */
function describeLeftOut(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MAX_REPORTED).map(reason => reason.slice(0, MAX_REASON));
  const more = reasons.length > MAX_REPORTED ? `; and ${reasons.length - MAX_REPORTED} more` : '';
  return `tools are left out because of their headers: ${shown.join('; ')}${more}`;
}

const MAX_REPORTED = 10;
const MAX_REMEMBERED = 1000;
const MAX_REASON = 300;

import { InvalidAnswer } from '../protocol/failures.js';
import {
  collectParameterHeaders,
  type ParameterHeader,
  parameterHeaderProblem,
  parameterHeaders,
} from '../protocol/headers.js';
import { isObject, type JsonObject } from '../protocol/json.js';
import type { CallToolResult, Tool } from '../protocol/tools.js';
import { compileUntrustedSchema, type UntrustedSchema } from './untrusted-schema.js';

interface KnownTool {
  headers: readonly ParameterHeader[];
  outputSchema: unknown;
  output?: Promise<UntrustedSchema>;
}

/** How many tools of one server are remembered. */
const MAX_KNOWN = 10_000;

/** What a client has seen of the tools of a server. */
export class KnownTools {
  readonly #known = new Map<string, KnownTool>();

  /** Remembers a list, and leaves out the tools that cannot be called because their headers are invalid. */
  learn(tools: readonly Tool[], mirrorsParameters: boolean, warn: (message: string) => void): Tool[] {
    return tools.filter(tool => {
      if (!isObject(tool) || typeof tool.name !== 'string') return false;
      const problem = mirrorsParameters ? parameterHeaderProblem(tool.inputSchema) : undefined;
      if (problem) {
        warn(`the tool ${tool.name} is left out: ${problem}`);
        return false;
      }
      const { name, inputSchema, outputSchema } = tool;
      this.#known.set(name, { headers: collectParameterHeaders(inputSchema), outputSchema });
      if (this.#known.size > MAX_KNOWN) this.#known.delete(this.#known.keys().next().value as string);
      return true;
    });
  }

  /** The headers that mirror the arguments of a call. */
  headersOf(name: string, args: JsonObject): Record<string, string> | undefined {
    const headers = this.#known.get(name)?.headers;
    return headers && headers.length > 0 ? parameterHeaders(headers, args) : undefined;
  }

  /** Throws `InvalidAnswer` if a result is not what its tool has promised. */
  async check(name: string, result: CallToolResult): Promise<void> {
    const tool = this.#known.get(name);
    if (tool?.outputSchema === undefined || result.isError) return;
    if (result.structuredContent === undefined) {
      throw new InvalidAnswer(
        `the tool ${name} has an output schema, but returned nothing that is structured`,
      );
    }
    tool.output ??= compileUntrustedSchema(tool.outputSchema);
    const schema = await tool.output;
    const problem = schema.check(result.structuredContent)?.problem;
    if (problem)
      throw new InvalidAnswer(
        `what the tool ${name} returned is not what its output schema says: ${problem}`,
      );
  }
}

import { decodeHeaderValue, kindOf } from './headers.js';
import { isPrimitive, type ParameterHeader, valueAt } from './parameter-headers.js';

/**
 * Why the headers of a request do not match its arguments; undefined if they do. The reason names headers and
 * arguments, but contains no values.
 *
 * @example
 * const reason = parameterHeaderMismatch(list, params.arguments, name => request.headers.get(name) ?? undefined);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function parameterHeaderMismatch(
  list: readonly ParameterHeader[],
  args: unknown,
  header: (name: string) => string | undefined,
): string | undefined {
  for (const parameter of list) {
    const problem = compare(valueAt(args, parameter.path), header(parameter.header));
    if (problem !== undefined) {
      return `header Mcp-Param-${parameter.name} and argument "${parameter.path.join('.')}": ${problem}`;
    }
  }
  return undefined;
}

function compare(value: unknown, header: string | undefined): string | undefined {
  if (value === undefined || value === null) {
    return header === undefined ? undefined : 'the header is there without the argument; leave it out';
  }
  if (!isPrimitive(value)) return `the argument is ${kindOf(value)}, which no header can carry`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'the integer must be within ±(2^53−1)';
  if (header === undefined) return 'the header is missing; send the argument in it as well';
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return 'the header is malformed; it must be plain ASCII, or Base64 of UTF-8';
  const same = typeof value === 'number' ? isSameNumber(decoded, value) : decoded === String(value);
  return same ? undefined : 'they must have the same value';
}

/** A number may be written in several ways: 42 is also 42.0. */
function isSameNumber(text: string, value: number): boolean {
  if (text === String(value)) return true;
  return (
    /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/.test(text) &&
    Number.isSafeInteger(Number(text)) &&
    Number(text) === value
  );
}

import { UsageError } from '../../base/errors.js';
import { headerNameProblem } from '../../protocol/headers.js';

/** Reads headers of the author: leaves out undefined ones, and refuses those that cannot be sent. */
export function readOwnHeaders(
  headers: Readonly<Record<string, string | undefined>> | Iterable<[string, string]>,
): Record<string, string> {
  return Object.fromEntries(
    // `Headers` and maps have no properties of their own, so they would be lost.
    (Symbol.iterator in headers ? [...headers] : Object.entries(headers)).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const problem =
        headerNameProblem(name) ?? (isHeaderValue(value) ? undefined : 'its value cannot be in a header');
      if (problem) throw new UsageError(`the header ${JSON.stringify(name)} cannot be sent: ${problem}`);
      return [[name.toLowerCase(), value]];
    }),
  );
}

/** Visible characters, spaces and tabs, and those of ISO 8859-1. */
function isHeaderValue(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

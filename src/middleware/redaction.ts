import { checkOptions, type OptionNames } from '../base/options.js';
import { messageOf } from '../base/thrown.js';
import { McpError, type MiddlewareLayer, RoundEnded, UsageError } from '../server/index.js';

/** Options of `redaction`. */
export interface RedactionOptions {
  /** What must not leave the server. Each must have the flag `g`. */
  patterns: readonly RegExp[];
  /** Replaces what was found; `[redacted]` by default. */
  replacement?: string | undefined;
}

/** Members of messages that only programs read. A client that got them changed could not go on. */
const PROTOCOL: ReadonlySet<string> = new Set([
  'resultType',
  'protocolVersion',
  'supportedVersions',
  'nextCursor',
  'requestState',
  'taskId',
  'elicitationId',
  'io.modelcontextprotocol/subscriptionId',
]);

const REDACTION_OPTIONS: OptionNames<RedactionOptions> = { patterns: 'a list', replacement: 'a text' };

/**
 * Replaces secrets in all texts that leave a server: in results and errors, in questions, and in notifications such as logs;
 * in the names of members, too. Versions, cursors and tokens of the protocol stay as they are.
 *
 * @example
 * server.use(redaction({ patterns: [/sk-[A-Za-z0-9]{20,}/g, /\b\d{16}\b/g] }));
 */
export function redaction(options: RedactionOptions): MiddlewareLayer {
  checkOptions(options, REDACTION_OPTIONS, 'redaction');
  const { patterns, replacement = '[redacted]' } = options;
  for (const pattern of patterns) {
    if (!pattern.global)
      throw new UsageError(`redaction needs patterns with the flag g: /${pattern.source}/g`);
    // Such a pattern finds only what stands at the very beginning.
    if (pattern.sticky)
      throw new UsageError(`redaction needs patterns without the flag y: /${pattern.source}/g`);
  }
  const redact = (text: string) =>
    patterns.reduce((redacted, pattern) => redacted.replaceAll(pattern, replacement), text);
  return {
    name: 'redaction',
    async request(_, next) {
      try {
        return mapTexts(await next(), redact, PROTOCOL);
      } catch (error) {
        if (error instanceof McpError)
          throw new McpError(error.code, redact(error.message), mapTexts(error.data, redact));
        // The text of other errors leaves the server only if it has `exposeErrors`.
        const text = messageOf(error);
        const redacted = redact(text);
        if (error instanceof RoundEnded || redacted === text) throw error;
        throw new Error(redacted, { cause: error });
      }
    },
    question({ question }, next) {
      const params = mapTexts(question.params, redact, PROTOCOL);
      return next({ question: { ...question, params } as typeof question });
    },
    send: ({ params }, next) => next({ params: mapTexts(params, redact, PROTOCOL) }),
  };
}

/** A copy of a value with all its texts changed, except in the members `kept`; the value itself if none changes. */
function mapTexts<T>(value: T, change: (text: string) => string, kept?: ReadonlySet<string>): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) {
    const items = value.map(item => mapTexts(item, change));
    return items.some((item, at) => item !== value[at]) ? (items as T) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) =>
    kept?.has(name)
      ? ([name, member] as const)
      : ([change(name), mapTexts(member, change, name === '_meta' ? kept : undefined)] as const),
  );
  const isChanged = members.some(([name, member]) => member !== (value as Record<string, unknown>)[name]);
  return isChanged ? (Object.fromEntries(members) as T) : value;
}

import { MASKED } from '../trace/mask.js';

/** Members that differ from run to run, or from revision to revision, and say nothing about the server's behaviour. */
const VOLATILE_NAMES = new Set([
  '_meta',
  'requestState',
  'nextCursor',
  'cursor',
  'sessionId',
  'session_id',
  'progressToken',
  'taskId',
  'lastModified',
  'ttlMs',
  'cacheScope',
  'resultType',
  'elicitationId',
]);

/** The last words of names whose numbers are times: `createdAt`, `elapsed_ms`. `seat` and `items` only end alike. */
const TIME_WORDS = new Set([
  'time',
  'date',
  'datetime',
  'timestamp',
  'at',
  'since',
  'until',
  'uptime',
  'runtime',
  'duration',
  'elapsed',
  'ms',
]);

/** Parts of texts that differ from run to run, and the sign that stands for each. */
const VOLATILE_TEXTS: readonly [RegExp, string][] = [
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:[A-Z][a-z]{2} \d\d?|\d\d? [A-Z][a-z]{2}),? \d{4}[ \d:]*(?:GMT\S*)?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[AP]M)?\b/g, '<time>'],
  [/\b1[6-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{24,}\b/gi, '<hex>'],
  [/\b\d+(?:\.\d+)? ?(?:ms|µs|seconds?|milliseconds?)\b/g, '<duration>'],
  [/\b(127\.0\.0\.1|localhost|\[::1\]):\d+/g, '$1:<port>'],
  [/\b(pid|PID)[ =:]+\d+/g, '$1 <pid>'],
];

/** Whether a member is never compared. */
export function isVolatileName(name: string): boolean {
  return VOLATILE_NAMES.has(name);
}

/** Whether two values of a member say the same, apart from what differs from run to run. */
export function isSameValue(name: string, recorded: unknown, now: unknown): boolean {
  if (Object.is(recorded, now)) return true;
  if (typeof recorded === 'string' && recorded.includes(MASKED)) return true;
  if (typeof recorded !== typeof now) return false;
  if (typeof recorded === 'number') return TIME_WORDS.has(lastWord(name));
  return typeof recorded === 'string' && steady(recorded) === steady(now as string);
}

function lastWord(name: string): string {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').match(/[a-z]+/gi) ?? [];
  return words.at(-1)?.toLowerCase() ?? '';
}

function steady(text: string): string {
  return VOLATILE_TEXTS.reduce((kept, [part, sign]) => kept.replace(part, sign), text);
}

import { TASKS_ID } from '../../src/server/tasks/index.js';
import { META } from '../../src/vocabulary/index.js';
import { ENVELOPE } from './messages.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const LONG = 'x'.repeat(3.9 * MiB);
/** As many small objects as a message may have. */
const WIDE = Array.from({ length: 49_000 }, () => ({}));

type Era = 'modern' | 'legacy';

/** A message to a server on standard input, which is sent again and again with other ids. */
interface StdioAttack {
  /** How often it is sent every day. */
  readonly times: number;
  message(era: Era, number: number): object | string;
  /** Whether each of them has a response in the end. */
  readonly isAnswered?: boolean;
}

export const ERAS: readonly Era[] = ['modern', 'legacy'];

/** What was tried against a server on standard input whose output is not read. */
export const STDIO_ATTACKS: Readonly<Record<string, StdioAttack>> = {
  'calls with large answers': {
    times: 100,
    message: (era, number) => call(era, number % 2 ? 'big' : 'big-soon'),
    isAnswered: true,
  },
  'calls that never end, with large arguments': {
    times: 16,
    message: era => call(era, 'hang', { LONG }),
  },
  'calls that never end, with arguments of many small objects': {
    times: 16,
    message: era => call(era, 'hang', { WIDE }),
  },
  'small calls that never end': { times: 2000, message: era => call(era, 'hang') },
  'tasks with large arguments': { times: 16, message: era => task(era, 'work', { LONG }) },
  'tasks with arguments of many small objects': { times: 16, message: era => task(era, 'work', { WIDE }) },
  'calls that become tasks, with large arguments': {
    times: 16,
    message: era => task(era, 'work-later', { LONG }),
  },
  'tasks with large results': { times: 40, message: era => task(era, 'work-big') },
  'long subscriptions': {
    times: 100,
    message: (era, number) => {
      const uri = `menu://${number}${'x'.repeat(4080)}`;
      return era === 'modern'
        ? request(era, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
        : request(era, 'resources/subscribe', { uri });
    },
  },
  'large answers to no question': {
    times: 16,
    message: (_, number) => ({ id: `none ${number}`, result: { LONG } }),
  },
  'large notifications': {
    times: 16,
    message: () => ({ method: 'notifications/progress', params: { progressToken: 1, progress: 1, LONG } }),
  },
  'lines that are too long': { times: 4, message: () => LONG.repeat(4) },
  'lines that are no messages': { times: 16, message: () => LONG },
};

/** The lines of an attack. */
export function* linesOf({ times, message }: StdioAttack, era: Era, factor: number): Generator<string> {
  for (let number = 0; number < times * factor; number++) {
    const sent = message(era, number);
    yield `${typeof sent === 'string' ? sent : JSON.stringify({ jsonrpc: '2.0', ...sent })}\n`;
  }
}

function request(era: Era, method: string, params: object, meta: object = {}): object {
  const _meta = era === 'modern' ? { _meta: { ...ENVELOPE, ...meta } } : {};
  return { id: crypto.randomUUID(), method, params: { ...params, ..._meta } };
}

function call(era: Era, name: string, args: object = {}): object {
  return request(era, 'tools/call', { name, arguments: args });
}

function task(era: Era, name: string, args: object = {}): object {
  const params = { name, arguments: args, ...(era === 'legacy' && { task: {} }) };
  return request(era, 'tools/call', params, {
    [META.clientCapabilities]: { extensions: { [TASKS_ID]: {} } },
  });
}

import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { answer } from '../../src/client/extensions/index.js';
import type { ClientMiddlewareLayer, ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension } from '../../src/server/extensions/index.js';
import { ERROR, McpError, type MiddlewareLayer, Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';
import { pipeTo } from './stdio-pair.js';

const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];
const TRANSPORTS = ['memory', 'HTTP', 'stdio'] as const;
const NAMES = ['outer', 'middle', 'inner'];
const PICKED = 'notifications/com.example/picked';
const HEARD = 'notifications/com.example/heard';
const ID = 'com.example/pick';

/** What the middle layer does with the messages of one kind; the others only pass them on and note that. */
type Deed = 'pass' | 'change' | 'change in place' | 'refuse' | 'answer early' | 'drop';
type Kind = 'request' | 'question' | 'receive' | 'send';

interface Row {
  readonly side: 'server' | 'client';
  readonly kind: Kind;
  readonly deed: Deed;
  /** The question is a request of an extension, which only revisions with sessions have a way for. */
  readonly isOfExtension?: true;
  /** What the other end gets, as `run` below shows it. */
  readonly outcome: string;
}

// Order, change, refusal and early answer, for every kind of message in both directions. What is changed in place stays as
// it was.
const ROWS: readonly Row[] = [
  { side: 'server', kind: 'request', deed: 'pass', outcome: 'Hello Ada' },
  { side: 'server', kind: 'request', deed: 'change', outcome: 'Hello Changed' },
  { side: 'server', kind: 'request', deed: 'change in place', outcome: 'Hello Ada' },
  { side: 'server', kind: 'request', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'server', kind: 'request', deed: 'answer early', outcome: 'early' },
  { side: 'client', kind: 'request', deed: 'pass', outcome: 'Hello Ada' },
  { side: 'client', kind: 'request', deed: 'change', outcome: 'Hello Changed' },
  { side: 'client', kind: 'request', deed: 'change in place', outcome: 'Hello Ada' },
  { side: 'client', kind: 'request', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'client', kind: 'request', deed: 'answer early', outcome: 'early' },
  { side: 'server', kind: 'question', deed: 'pass', outcome: 'Name? Ada' },
  { side: 'server', kind: 'question', deed: 'change', outcome: 'Changed? Ada' },
  { side: 'server', kind: 'question', deed: 'change in place', outcome: 'Name? Ada' },
  { side: 'server', kind: 'question', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'server', kind: 'question', deed: 'answer early', outcome: 'undefined Early' },
  { side: 'client', kind: 'question', deed: 'pass', outcome: 'Name? Ada' },
  { side: 'client', kind: 'question', deed: 'change', outcome: 'Changed? Ada' },
  { side: 'client', kind: 'question', deed: 'change in place', outcome: 'Name? Ada' },
  { side: 'client', kind: 'question', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'client', kind: 'question', deed: 'answer early', outcome: 'undefined Early' },
  { side: 'server', kind: 'receive', deed: 'pass', outcome: 'picked Ada' },
  { side: 'server', kind: 'receive', deed: 'change', outcome: 'picked Changed' },
  { side: 'server', kind: 'receive', deed: 'change in place', outcome: 'picked Ada' },
  { side: 'server', kind: 'receive', deed: 'drop', outcome: 'nothing' },
  { side: 'client', kind: 'send', deed: 'pass', outcome: 'picked Ada' },
  { side: 'client', kind: 'send', deed: 'change', outcome: 'picked Changed' },
  { side: 'client', kind: 'send', deed: 'change in place', outcome: 'picked Ada' },
  { side: 'client', kind: 'send', deed: 'drop', outcome: 'nothing' },
  { side: 'server', kind: 'send', deed: 'pass', outcome: 'heard Ada' },
  { side: 'server', kind: 'send', deed: 'change', outcome: 'heard Changed' },
  { side: 'server', kind: 'send', deed: 'change in place', outcome: 'heard Ada' },
  { side: 'server', kind: 'send', deed: 'drop', outcome: 'nothing' },
  { side: 'client', kind: 'receive', deed: 'pass', outcome: 'heard Ada' },
  { side: 'client', kind: 'receive', deed: 'change', outcome: 'heard Changed' },
  { side: 'client', kind: 'receive', deed: 'change in place', outcome: 'heard Ada' },
  { side: 'client', kind: 'receive', deed: 'drop', outcome: 'nothing' },
  { side: 'server', kind: 'question', deed: 'pass', isOfExtension: true, outcome: 'picked Ada' },
  { side: 'server', kind: 'question', deed: 'change', isOfExtension: true, outcome: 'picked Changed' },
  { side: 'server', kind: 'question', deed: 'change in place', isOfExtension: true, outcome: 'picked Ada' },
  {
    side: 'server',
    kind: 'question',
    deed: 'refuse',
    isOfExtension: true,
    outcome: 'error: refused by middle',
  },
  { side: 'server', kind: 'question', deed: 'answer early', isOfExtension: true, outcome: 'picked Early' },
  { side: 'client', kind: 'question', deed: 'pass', isOfExtension: true, outcome: 'picked Ada' },
  { side: 'client', kind: 'question', deed: 'change', isOfExtension: true, outcome: 'picked Changed' },
  { side: 'client', kind: 'question', deed: 'change in place', isOfExtension: true, outcome: 'picked Ada' },
  {
    side: 'client',
    kind: 'question',
    deed: 'refuse',
    isOfExtension: true,
    outcome: 'error: refused by middle',
  },
  { side: 'client', kind: 'question', deed: 'answer early', isOfExtension: true, outcome: 'picked Early' },
];

const FORM = z.object({ name: z.string() });
const EARLY = { action: 'accept' as const, content: { name: 'Early' }, picked: 'Early' };
const RESULT = { content: [{ type: 'text' as const, text: 'early' }], resultType: 'complete' };

/** Tries to change a value at all its depths, and notes each place where that was possible. */
function spoil(value: any, spoilt: string[], place = 'the message'): void {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return;
  // The other members of a call are functions, and parts of the server.
  const isCall = 'revision' in value;
  for (const name of isCall ? ['method', 'params', 'meta', 'client', 'target'] : Object.keys(value)) {
    if (name === 'session') continue;
    spoil(value[name], spoilt, `${place}.${name}`);
    if (isPossible(() => delete value[name])) spoilt.push(`${place} without ${name}`);
    if (isPossible(() => (value[name] = 'Changed'))) spoilt.push(`${place} with another ${name}`);
  }
}

function isPossible(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return false;
  }
}

/** Three layers that note their names; the middle one does the deed. */
function layers(
  { kind, deed }: Row,
  steps: string[],
  spoilt: string[],
): (MiddlewareLayer & ClientMiddlewareLayer)[] {
  return NAMES.map(name => {
    const act = name === 'middle' ? deed : 'pass';
    const isOurs = (method: string) =>
      ['tools/call', PICKED, HEARD, 'elicitation/create', ID].includes(method);
    const tell = (method: string) => isOurs(method) && steps.push(name);
    const spoilAll = async (message: object, outcome: Promise<unknown>) => {
      spoil(message, spoilt);
      spoil(await outcome, spoilt, 'the outcome');
      return outcome;
    };
    const notification = (message: any, next: any) => {
      const { method, params } = message;
      tell(method);
      if (act === 'change in place') spoil(message, spoilt);
      if (act === 'pass' || act === 'change in place' || !isOurs(method)) next();
      if (act === 'change' && isOurs(method)) next({ params: { ...params, name: 'Changed' } });
    };
    const around = {
      request: async (call: any, next: any) => {
        tell(call.method);
        if (call.method !== 'tools/call' || act === 'pass') return next();
        if (act === 'change in place') return spoilAll(call, next());
        if (act === 'refuse') throw new McpError(ERROR.invalidParams, 'refused by middle');
        if (act === 'answer early') return RESULT;
        return next({ params: { ...call.params, arguments: { name: 'Changed' } } });
      },
      question: (asked: any, next: any) => {
        tell(asked.question.method);
        if (act === 'refuse') throw new McpError(ERROR.invalidParams, 'refused by middle');
        if (act === 'answer early') return Promise.resolve(EARLY);
        if (act === 'pass') return next();
        if (act === 'change in place') return spoilAll(asked, next());
        const { question } = asked;
        const params = { ...question.params, message: 'Changed?', name: 'Changed' };
        return next({ question: { ...question, params } });
      },
      receive: notification,
      send: notification,
    };
    return { name, [kind]: around[kind] };
  });
}

function createServer(heard: string[], middleware: readonly MiddlewareLayer[]): Server {
  const pick = extension({
    id: ID,
    asks: [ID],
    install: own =>
      own.tool('pick', {}, async (_, ctx) => {
        const answered = await ctx.session?.request(ID, { name: 'Ada' });
        return answered ? `picked ${answered.picked}` : 'there is no session';
      }),
  });
  const server = new Server({ name: 'table', version: '1.0.0' }, { extensions: [pick], onError: () => {} });
  for (const layer of middleware) server.use(layer);
  server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);
  server.tool('ask', {}, async (_, ctx) => {
    const answer = await ctx.elicit('Name?', FORM);
    return answer.action === 'accept' ? answer.content.name : answer.action;
  });
  server.tool('tell', {}, (_, ctx) => {
    ctx.notify(HEARD, { name: 'Ada' });
    return 'told';
  });
  server.notification(PICKED, ({ name }) => void heard.push(`picked ${name}`));
  return server;
}

async function open(transport: (typeof TRANSPORTS)[number], server: Server, options: ConnectOptions) {
  const target =
    transport === 'memory' ? server : transport === 'HTTP' ? (await serve(server)).url : pipeTo(server);
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return client;
}

/** Sends the message of a row, and shows what the other end got. */
async function run(row: Row, transport: (typeof TRANSPORTS)[number], revision: string) {
  const [heard, steps, spoilt]: [string[], string[], string[]] = [[], [], []];
  let asked: string | undefined;
  const chain = layers(row, steps, spoilt);
  const client = await open(transport, createServer(heard, row.side === 'server' ? chain : []), {
    revision,
    cache: false,
    extensions: [
      {
        id: ID,
        methods: { [ID]: answer(z.looseObject({ name: z.string() }), ({ name }) => ({ picked: name })) },
      },
    ],
    onElicit: form => {
      asked = form.message;
      return { action: 'accept', content: { name: 'Ada' } };
    },
    onNotification: (method, { name }) => void (method === HEARD && heard.push(`heard ${name}`)),
  });
  if (row.side === 'client') for (const layer of chain) client.use(layer);
  const call = async (name: string, args = {}) => {
    try {
      const { content, isError } = await client.callTool(name, args);
      const { text } = content[0] as { text: string };
      return isError ? `error: ${text}` : text;
    } catch (error) {
      return `error: ${(error as Error).message}`;
    }
  };
  const show = async () => {
    if (row.kind === 'request') return call('greet', { name: 'Ada' });
    if (row.isOfExtension) {
      const text = await call('pick');
      return text.startsWith('error') ? `error: ${/refused by middle/.exec(text)?.[0]}` : text;
    }
    if (row.kind === 'question') {
      const text = await call('ask');
      return text.startsWith('error') ? `error: ${/refused by middle/.exec(text)?.[0]}` : `${asked} ${text}`;
    }
    if (row.side === (row.kind === 'send' ? 'server' : 'client')) await call('tell');
    else await client.notify(PICKED, { name: 'Ada' });
    if (row.deed !== 'drop') await until(() => expect(heard).toHaveLength(1));
    // A request after it shows that nothing more is under way.
    else await call('greet', { name: 'Ada' });
    return heard[0] ?? 'nothing';
  };
  return { outcome: await show(), steps: [...new Set(steps)], spoilt };
}

describe.each(TRANSPORTS)('a chain of three over %s', transport => {
  it.each(REVISIONS)('passes, changes, refuses and answers every kind of message on %s', async revision => {
    for (const row of ROWS) {
      const { outcome, steps, spoilt } = await run(row, transport, revision);
      const name = `${row.side} ${row.kind} ${row.deed}${row.isOfExtension ? ' of an extension' : ''}`;
      expect(spoilt, name).toEqual([]);
      if (row.isOfExtension && revision === '2026-07-28') {
        expect([outcome, ...steps], name).toEqual(['there is no session']);
        continue;
      }
      expect(outcome, name).toBe(row.outcome);
      const goesOn = row.deed === 'pass' || row.deed.startsWith('change');
      expect(steps, name).toEqual(goesOn ? NAMES : NAMES.slice(0, 2));
    }
  });
});

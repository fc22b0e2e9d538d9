import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ClientMiddlewareLayer, ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { ERROR, McpError, type MiddlewareLayer, Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';
import { pipeTo } from './stdio-pair.js';

const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];
const TRANSPORTS = ['memory', 'HTTP', 'stdio'] as const;
const NAMES = ['outer', 'middle', 'inner'];
const PICKED = 'notifications/com.example/picked';
const HEARD = 'notifications/com.example/heard';

/** What the middle layer does with the messages of one kind; the others only pass them on and note that. */
type Deed = 'pass' | 'change' | 'refuse' | 'answer early' | 'drop';
type Kind = 'request' | 'question' | 'receive' | 'send';

interface Row {
  readonly side: 'server' | 'client';
  readonly kind: Kind;
  readonly deed: Deed;
  /** What the other end gets, as `run` below shows it. */
  readonly outcome: string;
}

// Order, change, refusal and early answer, for every kind of message in both directions.
const ROWS: readonly Row[] = [
  { side: 'server', kind: 'request', deed: 'pass', outcome: 'Hello Ada' },
  { side: 'server', kind: 'request', deed: 'change', outcome: 'Hello Changed' },
  { side: 'server', kind: 'request', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'server', kind: 'request', deed: 'answer early', outcome: 'early' },
  { side: 'client', kind: 'request', deed: 'pass', outcome: 'Hello Ada' },
  { side: 'client', kind: 'request', deed: 'change', outcome: 'Hello Changed' },
  { side: 'client', kind: 'request', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'client', kind: 'request', deed: 'answer early', outcome: 'early' },
  { side: 'server', kind: 'question', deed: 'pass', outcome: 'Name? Ada' },
  { side: 'server', kind: 'question', deed: 'change', outcome: 'Changed? Ada' },
  { side: 'server', kind: 'question', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'server', kind: 'question', deed: 'answer early', outcome: 'undefined Early' },
  { side: 'client', kind: 'question', deed: 'pass', outcome: 'Name? Ada' },
  { side: 'client', kind: 'question', deed: 'change', outcome: 'Changed? Ada' },
  { side: 'client', kind: 'question', deed: 'refuse', outcome: 'error: refused by middle' },
  { side: 'client', kind: 'question', deed: 'answer early', outcome: 'undefined Early' },
  { side: 'server', kind: 'receive', deed: 'pass', outcome: 'picked Ada' },
  { side: 'server', kind: 'receive', deed: 'change', outcome: 'picked Changed' },
  { side: 'server', kind: 'receive', deed: 'drop', outcome: 'nothing' },
  { side: 'client', kind: 'send', deed: 'pass', outcome: 'picked Ada' },
  { side: 'client', kind: 'send', deed: 'change', outcome: 'picked Changed' },
  { side: 'client', kind: 'send', deed: 'drop', outcome: 'nothing' },
  { side: 'server', kind: 'send', deed: 'pass', outcome: 'heard Ada' },
  { side: 'server', kind: 'send', deed: 'change', outcome: 'heard Changed' },
  { side: 'server', kind: 'send', deed: 'drop', outcome: 'nothing' },
  { side: 'client', kind: 'receive', deed: 'pass', outcome: 'heard Ada' },
  { side: 'client', kind: 'receive', deed: 'change', outcome: 'heard Changed' },
  { side: 'client', kind: 'receive', deed: 'drop', outcome: 'nothing' },
];

const FORM = z.object({ name: z.string() });
const EARLY = { action: 'accept' as const, content: { name: 'Early' } };
const RESULT = { content: [{ type: 'text' as const, text: 'early' }], resultType: 'complete' };

/** Three layers that note their names; the middle one does the deed. */
function layers({ kind, deed }: Row, steps: string[]): (MiddlewareLayer & ClientMiddlewareLayer)[] {
  return NAMES.map(name => {
    const act = name === 'middle' ? deed : 'pass';
    const isOurs = (method: string) => ['tools/call', PICKED, HEARD, 'elicitation/create'].includes(method);
    const tell = (method: string) => isOurs(method) && steps.push(name);
    const notification = ({ method, params }: any, next: any) => {
      tell(method);
      if (act === 'pass' || !isOurs(method)) next();
      if (act === 'change' && isOurs(method)) next({ params: { ...params, name: 'Changed' } });
    };
    const around = {
      request: async (call: any, next: any) => {
        tell(call.method);
        if (call.method !== 'tools/call' || act === 'pass') return next();
        if (act === 'refuse') throw new McpError(ERROR.invalidParams, 'refused by middle');
        if (act === 'answer early') return RESULT;
        return next({ params: { ...call.params, arguments: { name: 'Changed' } } });
      },
      question: (asked: any, next: any) => {
        tell(asked.question.method);
        if (act === 'refuse') throw new McpError(ERROR.invalidParams, 'refused by middle');
        if (act === 'answer early') return Promise.resolve(EARLY);
        if (act === 'pass') return next();
        const { question } = asked;
        return next({ question: { ...question, params: { ...question.params, message: 'Changed?' } } });
      },
      receive: notification,
      send: notification,
    };
    return { name, [kind]: around[kind] };
  });
}

function createServer(heard: string[], middleware: readonly MiddlewareLayer[]): Server {
  const server = new Server({ name: 'table', version: '1.0.0' }, { onError: () => {} });
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
  const [heard, steps]: [string[], string[]] = [[], []];
  let asked: string | undefined;
  const chain = layers(row, steps);
  const client = await open(transport, createServer(heard, row.side === 'server' ? chain : []), {
    revision,
    cache: false,
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
  return { outcome: await show(), steps: [...new Set(steps)] };
}

describe.each(TRANSPORTS)('a chain of three over %s', transport => {
  it.each(REVISIONS)('passes, changes, refuses and answers every kind of message on %s', async revision => {
    for (const row of ROWS) {
      const { outcome, steps } = await run(row, transport, revision);
      const name = `${row.side} ${row.kind} ${row.deed}`;
      expect(outcome, name).toBe(row.outcome);
      const goesOn = row.deed === 'pass' || row.deed === 'change';
      expect(steps, name).toEqual(goesOn ? NAMES : NAMES.slice(0, 2));
    }
  });
});

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { program } from '../programs/program.js';

// `npm run test:long` makes 10,000.
const CALLS = Number(process.env.NODE_CALLS ?? 1000);
const KILLS = 10;
const CONCURRENCY = 32;
const KEYS = 'both nodes have this key and it is long enough';
const script = fileURLToPath(new URL('fixtures/node.ts', import.meta.url));
const HEADERS = {
  'content-type': 'application/json',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'order',
};
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A node that can be killed and started again. Another process may have got its old port meanwhile, so it gets a new one. */
class Node {
  /** Undefined while it is down. */
  url: string | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = { ...process.env, ...env };
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [program(script)], {
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.url = await new Promise((resolve, reject) => {
      child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
      child.once('exit', code => reject(new Error(`a node ended with ${code}`)));
    });
  }

  async kill(): Promise<void> {
    const child = this.#child as ChildProcess;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    this.url = undefined;
    child.kill('SIGKILL');
    await exited;
  }
}

// covers: 2026-07-28/basic/no-connection-is-needed, 2026-07-28/basic/state-has-an-explicit-id
test('rounds go on over two nodes of which one is killed ten times, and a step runs once per call', {
  timeout: 600_000,
}, async ({ signal }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-nodes-'));
  const ledger = join(folder, 'ledger');
  const nodes = await Promise.all(
    [1, 2].map(async () => {
      const node = new Node({ LEDGER: ledger, TENON_KEYS: KEYS });
      await node.start();
      return node;
    }),
  );
  cleanups.push(
    () => Promise.all(nodes.map(node => node.kill())),
    () => rm(folder, { recursive: true }),
  );

  const disturbed = new Set<number>();
  let finished = 0;
  let next = 0;
  let turn = 0;
  const waiting: (() => void)[] = [];
  const progress = () => new Promise<void>(resolve => waiting.push(resolve));

  /** Sends one round to the next node; one that is down is passed over, as a balancer does. */
  async function send(call: number, extra: object): Promise<Record<string, any>> {
    for (;;) {
      signal.throwIfAborted();
      const { url } = nodes[turn++ % 2] as Node;
      if (url === undefined) continue;
      try {
        return await post(url, call, extra);
      } catch (error) {
        if (error instanceof Refused) throw error;
        // No answer: the round may or may not have run there. The client repeats it from its last state.
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') disturbed.add(call);
      }
    }
  }

  async function run(call: number): Promise<void> {
    let result = await send(call, {});
    for (let round = 1; result.resultType === 'input_required'; round++) {
      expect(round).toBeLessThan(4);
      const answers = Object.entries(result.inputRequests as Record<string, any>).map(([key, { params }]) => [
        key,
        { action: 'accept', content: params.message === 'Sure?' ? { ok: true } : { guests: call % 7 } },
      ]);
      result = await send(call, {
        requestState: result.requestState,
        inputResponses: Object.fromEntries(answers),
      });
    }
    expect(JSON.parse(result.content[0].text)).toEqual({
      call,
      guests: { action: 'accept', content: { guests: call % 7 } },
      order: { id: call * 2 },
      sure: { action: 'accept', content: { ok: true } },
    });
    finished++;
    for (const notify of waiting.splice(0)) notify();
  }

  async function work(): Promise<void> {
    while (next < CALLS) await run(next++);
  }

  async function disturb(): Promise<void> {
    const [, victim] = nodes as [Node, Node];
    for (let kill = 1; kill <= KILLS; kill++) {
      const due = (CALLS * kill) / (KILLS + 1);
      while (finished < due) await progress();
      await victim.kill();
      await victim.start();
    }
  }

  await Promise.all([disturb(), ...Array.from({ length: CONCURRENCY }, work)]);

  const runs = new Map<number, number>();
  for (const line of (await readFile(ledger, 'utf8')).trim().split('\n')) {
    runs.set(Number(line), (runs.get(Number(line)) ?? 0) + 1);
  }
  const repeated = [...runs].filter(([, times]) => times > 1).map(([call]) => call);
  expect(finished).toBe(CALLS);
  expect(runs.size).toBe(CALLS);
  // The kill fell between the effect and the reply: nobody can know, so the step ran again. Nothing else may repeat.
  expect(repeated.filter(call => !disturbed.has(call))).toEqual([]);
  // A kill meets what is under way, and connections that are used for the first time after it.
  expect(disturbed.size).toBeLessThanOrEqual(2 * KILLS * CONCURRENCY);
  console.log(
    `${CALLS} calls, ${disturbed.size} disturbed by ${KILLS} kills, ${repeated.length} steps repeated`,
  );
});

const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });

async function post(url: string, call: number, extra: object): Promise<Record<string, any>> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: call,
    method: 'tools/call',
    params: { name: 'order', arguments: { call }, ...extra, _meta: ENVELOPE },
  });
  const text = await new Promise<string>((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers: HEADERS }, response => {
      response.setEncoding('utf8').on('error', reject);
      response.toArray().then(chunks => resolve(chunks.join('')), reject);
    });
    sent.on('error', reject).end(body);
  });
  const { result, error } = JSON.parse(text) as { result?: Record<string, any>; error?: unknown };
  if (!result) throw new Refused(`call ${call} failed: ${JSON.stringify(error)}`);
  return result;
}

/** A node that is up does not go on with a round. */
class Refused extends Error {}

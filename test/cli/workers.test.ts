import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { HEADER, LATEST_REVISION, META } from 'tenon/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { projectWith, start } from './running.js';

const CALLERS = 16;
/** How many answers come before the kill, and how many after the dead worker was replaced. */
const CALLS = 400;

/** The tool takes a moment, so that calls are always running. */
const SERVER = `import { Server } from 'tenon';
const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('pid', {}, async () => {
  await new Promise(resolve => setTimeout(resolve, 5));
  return String(process.pid);
});
export default server;
`;

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'pid',
    arguments: {},
    _meta: {
      [META.protocolVersion]: LATEST_REVISION,
      [META.clientInfo]: { name: 'caller', version: '1' },
      [META.clientCapabilities]: {},
    },
  },
});

const HEADERS = {
  'content-type': 'application/json',
  'content-length': String(BODY.length),
  accept: 'application/json, text/event-stream',
  [HEADER.protocolVersion]: LATEST_REVISION,
  [HEADER.method]: 'tools/call',
  [HEADER.name]: 'pid',
};

interface Failure {
  /** The process that had answered on its connection before; undefined for a new connection. */
  owner: number | undefined;
  wasWhole: boolean;
}

/** Node loses a connection that it hands to a worker which dies at that moment, and nobody hears of it. */
const LOST_MS = 10_000;

/** Callers that call without a pause, each over one connection of its own until that breaks. */
class Load {
  /** How many answers each process has given. */
  readonly answers = new Map<number, number>();
  /** The failed calls. */
  readonly failures: Failure[] = [];
  /** Whether calls that begin now begin after the dead worker was replaced. */
  isWhole = false;
  readonly #owners = new WeakMap<Socket, number>();
  readonly #url: string;
  #isOver = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Calls until `end`. Resolves when the last call is over. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: CALLERS }, () => this.#callOften()));
  }

  end(): void {
    this.#isOver = true;
  }

  get total(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }

  async #callOften(): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!this.#isOver) await this.#call(agent);
    agent.destroy();
  }

  #call(agent: Agent): Promise<void> {
    return new Promise(done => {
      let socket: Socket | undefined;
      const wasWhole = this.isWhole;
      const fail = () => {
        this.failures.push({ owner: socket && this.#owners.get(socket), wasWhole });
        done();
      };
      const sending = request(this.#url, { method: 'POST', agent, headers: HEADERS }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', chunk => {
          text += chunk;
        });
        response.on('error', fail).on('end', () => {
          const pid = Number(JSON.parse(text).result.content[0].text);
          this.#owners.set(socket as Socket, pid);
          this.answers.set(pid, (this.answers.get(pid) ?? 0) + 1);
          done();
        });
      });
      sending.on('socket', used => {
        socket = used;
      });
      sending.on('error', fail);
      sending.setTimeout(LOST_MS, () => sending.destroy(new Error('lost')));
      sending.end(BODY);
    });
  }
}

it('loses only the calls in a worker that is killed under load, and starts another one', async () => {
  const folder = await projectWith({ 'server.ts': SERVER });
  const command = start(['serve', 'server.ts', '--port', '0', '--workers', '2'], { cwd: folder });
  const url = await command.line(({ message, url }) => (message === 'listening' ? String(url) : undefined));
  const listening = () => command.lines.filter(({ message }) => message === 'listening').length;
  await expect.poll(listening).toBe(2);

  const load = new Load(url);
  onTestFinished(() => load.end());
  const over = load.run();
  await expect.poll(() => load.total).toBeGreaterThan(CALLS);
  const [killed, survivor] = [...load.answers.keys()] as [number, number];
  process.kill(killed, 'SIGKILL');
  const dead = await command.line(line => (line.message === 'a worker ended' ? line : undefined));
  expect(dead).toMatchObject({ worker: killed, signal: 'SIGKILL' });

  await expect.poll(listening).toBe(3);
  load.isWhole = true;
  const before = load.total;
  await expect.poll(() => load.total).toBeGreaterThan(before + CALLS);
  load.end();
  await over;

  console.log(`${load.failures.length} of ${load.total + load.failures.length} calls failed`);
  expect(load.failures.map(({ owner }) => owner)).not.toContain(survivor);
  // Each connection breaks once, and a new one may have been handed to the worker just before it died.
  expect(load.failures.length).toBeLessThanOrEqual(2 * CALLERS);
  expect(load.failures.filter(({ wasWhole }) => wasWhole)).toEqual([]);
  expect(load.answers.get(survivor)).toBeGreaterThan(0);
  expect(await command.end('SIGTERM')).toBe(0);
});

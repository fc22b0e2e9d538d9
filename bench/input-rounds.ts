/**
 * What a call of three rounds costs in plain calls: both on one server, in turns. `npm run bench:rounds`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';

const connections = Number(process.argv[2] ?? 64);
/** Short turns, many of them: whatever else the machine does should meet both kinds of call alike. */
const seconds = 0.2;
const turns = 101;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

interface Result {
  resultType: string;
  requestState?: string;
  inputRequests?: Record<string, unknown>;
}

const child = spawn(
  process.execPath,
  ['--import', 'tsx', fileURLToPath(new URL('servers/input-rounds.ts', import.meta.url))],
  {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  },
);
const [{ url }] = (await once(child, 'message')) as [{ url: string }];
try {
  for (let turn = 0; turn < 5; turn++) {
    await measure(url, plainCall);
    await measure(url, threeRounds);
  }
  const ratios: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const plain = await measure(url, plainCall);
    const rounds = await measure(url, threeRounds);
    ratios.push(plain / rounds);
  }
  ratios.sort((a, b) => a - b);
  const format = (value: number) => value.toFixed(2);
  console.log(
    `a call of three rounds costs ${format(ratios[turns >> 1]!)} plain calls ` +
      `(${format(ratios[0]!)}-${format(ratios.at(-1)!)})`,
  );
} finally {
  stop(child);
}

/** Calls per second with all connections busy. */
async function measure(url: string, call: (url: string) => Promise<void>): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let calls = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await call(url);
        calls++;
      }
    }),
  );
  return (calls * 1000) / (performance.now() - start);
}

async function plainCall(url: string): Promise<void> {
  const result = await post(url, 'plain', {});
  if (result.resultType !== 'complete') throw new Error('the plain tool did not complete');
}

async function threeRounds(url: string): Promise<void> {
  let result = await post(url, 'three_rounds', {});
  let count = 1;
  while (result.resultType === 'input_required') {
    const answer = { action: 'accept', content: { n: count } };
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests!).map(key => [key, answer]));
    result = await post(url, 'three_rounds', { inputResponses, requestState: result.requestState });
    count++;
  }
  if (count !== 3) throw new Error(`three rounds took ${count}`);
}

function post(url: string, name: string, extra: object): Promise<Result> {
  const params = { name, arguments: {}, ...extra, _meta: envelope };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { result, error } = JSON.parse(Buffer.concat(chunks).toString());
        if (result) resolve(result);
        else reject(new Error(JSON.stringify(error)));
      });
    });
    sent.on('error', reject).end(body);
  });
}

function stop(server: ChildProcess): void {
  agent.destroy();
  server.kill();
}

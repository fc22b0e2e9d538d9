/**
 * `npm run bench:rounds [turns]`: the cost of a call of three rounds, in plain calls of the same server, by the time of the
 * callers and by the processor time of the server. A server that does its rounds by hand is measured beside it, as the floor.
 */
import { cpuSeconds } from './cpu.js';
import { barePost, httpPost, type Post } from './posts.js';
import { type Listening, startListener } from './processes.js';
import { median } from './statistics.js';
import { formatTable } from './table.js';

interface Result {
  resultType: string;
  requestState?: string;
  inputRequests?: Record<string, unknown>;
}

type Call = (post: Post) => Promise<void>;

/** Some callers of one server, and the times of one kind of call, turn by turn, in microseconds per call. */
interface Cell {
  server: Listening;
  posts: Post[];
  call: Call;
  seen: number[];
  worked: number[];
}

/** Many short turns, so that other work of the machine disturbs all cells equally. */
const seconds = 0.2;
const turns = Number(process.argv[2] ?? 41);
const warmUps = 6;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

/** The kinds of callers. The last kind costs so little that the server works all the time. */
const callers: Record<string, (url: URL) => Post[]> = {
  '64 callers': url => Array(64).fill(httpPost(url)),
  '1 caller': url => [httpPost(url)],
  'server time': url => Array.from({ length: 64 }, () => barePost(url)),
};

const servers = {
  'by hand': await startListener('rounds-by-hand'),
  tenon: await startListener('tenon-rounds'),
};

try {
  const rows = Object.entries(servers).map(([name, server]) => ({
    name,
    columns: Object.values(callers).map(open => {
      const posts = open(new URL(server.url));
      const cell = (call: Call): Cell => ({ server, posts, call, seen: [], worked: [] });
      return { plain: cell(plainCall), rounds: cell(threeRounds) };
    }),
  }));
  const cells = rows.flatMap(({ columns }) => columns.flatMap(({ plain, rounds }) => [plain, rounds]));
  for (let turn = -warmUps; turn < turns; turn++) for (const cell of cells) await measure(cell);

  const lines = rows.map(({ name, columns }) => {
    const ratios = columns.map(({ plain, rounds }, at) =>
      at === columns.length - 1
        ? quotient(rounds.worked, plain.worked)
        : median(rounds.seen.slice(warmUps).map((own, turn) => own / plain.seen[warmUps + turn]!)),
    );
    return [name, ...ratios.map(ratio => ratio.toFixed(2))];
  });
  console.log('a call of three rounds costs so many plain calls:');
  console.log(formatTable([['', ...Object.keys(callers)], ...lines], 1));
  const [byHand, tenon] = rows.map(({ columns }) => columns.at(-1)!.rounds.worked) as [number[], number[]];
  console.log(
    `by server time, tenon's rounds take ${quotient(tenon, byHand).toFixed(2)} times as long as those by hand`,
  );
} finally {
  for (const server of Object.values(servers)) server.stop();
}
process.exit();

/** Lets all callers of a cell make calls for one turn. */
async function measure({ server, posts, call, seen, worked }: Cell): Promise<void> {
  const workedBefore = cpuSeconds(server.pid) ?? Number.NaN;
  const start = performance.now();
  const end = start + seconds * 1000;
  let calls = 0;
  await Promise.all(
    posts.map(async post => {
      while (performance.now() < end) {
        await call(post);
        calls++;
      }
    }),
  );
  seen.push(((performance.now() - start) * 1000) / calls);
  worked.push((((cpuSeconds(server.pid) ?? Number.NaN) - workedBefore) * 1e6) / calls);
}

async function plainCall(post: Post): Promise<void> {
  const { resultType } = await send(post, 'plain', {});
  if (resultType !== 'complete') throw new Error('the plain tool did not complete');
}

async function threeRounds(post: Post): Promise<void> {
  let result = await send(post, 'three_rounds', {});
  let count = 1;
  while (result.resultType === 'input_required') {
    const answer = { action: 'accept', content: { n: count } };
    const inputResponses = Object.fromEntries(Object.keys(result.inputRequests!).map(key => [key, answer]));
    result = await send(post, 'three_rounds', { inputResponses, requestState: result.requestState });
    count++;
  }
  if (count !== 3) throw new Error(`three rounds took ${count}`);
}

async function send(post: Post, name: string, extra: object): Promise<Result> {
  const params = { name, arguments: {}, ...extra, _meta: envelope };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const { result, error } = JSON.parse(await post(name, body));
  if (!result) throw new Error(JSON.stringify(error));
  return result;
}

/** The ratio of two sums: the clock of the system is too coarse for single turns. */
function quotient(own: number[], other: number[]): number {
  return sum(own.slice(warmUps)) / sum(other.slice(warmUps));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

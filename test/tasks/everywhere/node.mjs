import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { fetchHandler } from 'tenon/http';
import { listen } from 'tenon/node';
import { postgresCluster } from 'tenon/postgres';
import { redisCluster } from 'tenon/redis';
import { serveStdio } from 'tenon/stdio';
import { callFilm, open, WAYS } from './call.mjs';
import { createFilmStudio } from './film.mjs';

// A node of the studio, as a process of its own: it serves over HTTP, over stdio, or a client in its own memory.
const { TRANSPORT, STORE, NAME, LEDGER, WORK_MS, KEY } = process.env;
const NEVER_MS = 2 ** 31 - 1;
const keys = [KEY];
const cluster = STORE ? joinStore(STORE) : undefined;
const isDoomed = cluster !== undefined && isFirst();
const workMs = isDoomed ? NEVER_MS : Number(WORK_MS);
const { server, work } = createFilmStudio({ ledger: LEDGER, workMs, cluster });
const serve = { stdio: serveOverStdio, http: serveOverHttp, memory: serveMemory };
await serve[TRANSPORT]();

/** Whether this process is the first one of its name. Then its id is in a file of that name. */
function isFirst() {
  try {
    writeFileSync(join(dirname(LEDGER), NAME), `${process.pid}`, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function joinStore(url) {
  // Generous: a machine that is busy with something else is slow, and that is no failure.
  const timeoutMs = 30_000;
  return url.startsWith('redis:')
    ? redisCluster({ url, timeoutMs, prefix: NAME })
    : postgresCluster({ connectionString: url, timeoutMs, schema: NAME });
}

function serveOverStdio() {
  serveStdio(server, { keys, cluster });
}

/** Serves on two ports: by `listen`, and by a handler for fetch behind the plainest adapter. */
async function serveOverHttp() {
  const { url } = await listen(server, { port: 0, keys, cluster });
  const handler = fetchHandler(server, { keys, cluster });
  const adapter = createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming;
    const body = method === 'POST' ? Readable.toWeb(incoming) : undefined;
    const request = new Request(`http://${headers.host}${incoming.url}`, {
      method,
      headers,
      body,
      duplex: 'half',
    });
    const response = await handler(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body) Readable.fromWeb(response.body).pipe(outgoing);
    else outgoing.end();
  });
  adapter.listen(0, '127.0.0.1');
  await once(adapter, 'listening');
  await work.start();
  process.send({ isDoomed, ports: { http: Number(new URL(url).port), fetch: adapter.address().port } });
  process.once('disconnect', () => process.exit());
}

/** Calls the server from this process, as the test says. */
async function serveMemory() {
  process.on('message', async ({ way, title, saved }) => {
    const tell = message => process.send({ ...message, title });
    const events = { asked: asked => tell({ asked }), save: save => tell({ save }) };
    try {
      const client = await open(server, WAYS[way], events);
      tell({ result: await callFilm(client, WAYS[way], title, events, saved) });
    } catch (error) {
      tell({ error: String(error) });
    }
  });
  await work.start();
  process.send({ isDoomed, ports: {} });
  process.once('disconnect', () => process.exit());
}

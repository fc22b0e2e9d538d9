import type { Command } from 'tenon/client';
import { type CallEvents, WAYS, type Way } from './call.mjs';
import { startFailover } from './failover.js';
import { Ledger } from './ledger.js';
import { callAt, type Places } from './places.js';
import { environmentOf, PROGRAM } from './program.js';
import { type StudioProcess, startPair } from './studio-process.js';

/** Two processes with one store for each transport. The first never ends its work, and is killed. */
export async function openTwoProcesses(store: string): Promise<Places> {
  const ledger = new Ledger();
  const [overHttp, inMemory] = await Promise.all([
    startPair({ transport: 'http', name: 'http', ledger, store }),
    startPair({ transport: 'memory', name: 'memory', ledger, store }),
  ]);
  const [http, fetch] = await Promise.all([
    startFailover(overHttp.map(({ ready }) => ready.ports.http)),
    startFailover(overHttp.map(({ ready }) => ready.ports.fetch)),
  ]);
  const names = ['http', 'memory', ...WAYS.map(nameOf)];
  return {
    ledger,
    call: (transport, ...film) =>
      ({
        stdio: () => callAt(programOf(film[0], ledger, store), film),
        'Streamable HTTP': () => callAt(http.url, film),
        'the fetch handler': () => callAt(fetch.url, film),
        memory: () => callInMemory(inMemory, film),
      })[transport](),
    kill: () => {
      for (const name of names) process.kill(ledger.firstOf(name), 'SIGKILL');
    },
    stop: async () => {
      await Promise.all([...overHttp, ...inMemory, http, fetch].map(one => one.stop()));
      ledger.remove();
    },
  };
}

/** A program for one client. When its first process is killed, the client starts a second one. */
function programOf(way: Way, ledger: Ledger, store: string): Command {
  const env = environmentOf({ transport: 'stdio', name: nameOf(way), ledger, store });
  return { command: process.execPath, args: [PROGRAM], env, restart: true };
}

function nameOf(way: Way): string {
  return `program_${WAYS.indexOf(way)}`;
}

/** The client dies with its server; one in another process goes on with what the first has saved. */
async function callInMemory(
  [first, second]: readonly [StudioProcess, StudioProcess],
  [way, title, events]: [way: Way, title: string, events: CallEvents],
) {
  let saved: unknown;
  const save = (state: unknown) => {
    saved = state;
    events.save(state);
  };
  if (first.isGone) return second.call(way, title, events);
  return first.call(way, title, { ...events, save }).catch(error => {
    if (!way.isTask) throw error;
    return second.call(way, title, events, saved);
  });
}

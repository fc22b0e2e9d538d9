import { randomBytes } from 'node:crypto';
import { fetchHandler } from 'tenon/http';
import { listen } from 'tenon/node';
import { createFilmStudio } from './film.mjs';
import { Ledger } from './ledger.js';
import { callAt, type Places } from './places.js';
import { environmentOf, PROGRAM, WORK_MS } from './program.js';

/** A server that keeps its tasks in its process. */
export async function openOneProcess(): Promise<Places> {
  const ledger = new Ledger();
  const keys = [randomBytes(32)];
  const { server, work } = createFilmStudio({ ledger: ledger.file, workMs: WORK_MS });
  const running = await listen(server, { port: 0, keys });
  const handler = fetchHandler(server, { keys });
  const fetch: typeof globalThis.fetch = (input, init) => handler(new Request(input, init));
  const env = environmentOf({ transport: 'stdio', name: 'alone', ledger });
  const program = { command: process.execPath, args: [PROGRAM], env };
  return {
    ledger,
    call: (transport, ...film) =>
      ({
        stdio: () => callAt(program, film),
        'Streamable HTTP': () => callAt(running.url, film),
        'the fetch handler': () => callAt('http://localhost/mcp', film, { fetch }),
        memory: () => callAt(server, film),
      })[transport](),
    stop: async () => {
      await handler.close();
      await running.close(0);
      await work.close();
      ledger.remove();
    },
  };
}

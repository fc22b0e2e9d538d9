import { describe, expect, it, onTestFinished } from 'vitest';
import { connectAll } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { open, serve } from './servers.js';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

function bistro(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('greet', {}, () => 'hello');
  server.resource('menu://today', {}, () => 'soup');
  return server;
}

/** Announces a change again and again until somebody has heard of it: when a listener is ready, nobody says. */
async function until<T>(heard: Promise<T>, announce: () => void): Promise<T> {
  const repeat = setInterval(announce, 20);
  try {
    return await heard;
  } finally {
    clearInterval(repeat);
  }
}

describe.each(REVISIONS)('changes of a server of %s', revision => {
  it.each(['over HTTP', 'in memory'])('are heard of, %s', async where => {
    const server = bistro();
    const client = await open(where === 'in memory' ? server : await serve(server), { revision });
    const changes = client.changes({ resources: ['menu://today'] })[Symbol.asyncIterator]();
    const heard = await until(changes.next(), () => server.resourceChanged('menu://today'));
    expect(heard).toEqual({ done: false, value: { kind: 'resource', uri: 'menu://today' } });
    await changes.return?.();
  });
});

describe('listening to changes', () => {
  it('ends with its loop', async () => {
    const server = bistro();
    const client = await open(await serve(server));
    const heard: string[] = [];
    const listening = (async () => {
      for await (const change of client.changes({ tools: true })) {
        heard.push(change.kind);
        break;
      }
    })();
    await until(listening, () => server.tool(`t${Math.random()}`, {}, () => 'x'));
    expect(heard).toEqual(['tools']);
  });

  it('ends with its signal', async () => {
    const controller = new AbortController();
    const client = await open(bistro());
    const changes = client.changes({ tools: true }, { signal: controller.signal })[Symbol.asyncIterator]();
    const next = changes.next();
    controller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });

  it.each(REVISIONS)('ends at once with return(), on %s', async revision => {
    const client = await open(await serve(bistro()), { revision });
    const changes = client.changes({ tools: true })[Symbol.asyncIterator]();
    const next = changes.next();
    const over = { done: true, value: undefined };
    expect(await Promise.all([changes.return?.(), next])).toEqual([over, over]);
  });

  it('ends at once with return(), for a whole group', async () => {
    const group = await connectAll({ bistro: { target: await serve(bistro()) } });
    onTestFinished(() => group.close());
    const changes = group.changes();
    const next = changes.next();
    const over = { done: true, value: undefined };
    expect(await Promise.all([changes.return(), next])).toEqual([over, over]);
  });

  it('goes on after the server was away, and then counts everything as changed', async () => {
    const server = bistro();
    const first = await listen(server, { port: 0 });
    const client = await open(first.url);
    const changes = client.changes({ tools: true })[Symbol.asyncIterator]();
    await until(changes.next(), () => server.tool(`t${Math.random()}`, {}, () => 'x'));
    const next = changes.next();
    await first.close(0);
    const second = await listen(server, { port: first.port });
    expect(await next).toEqual({ done: false, value: { kind: 'tools' } });
    await changes.return?.();
    await second.close(0);
  });

  it('ends with its client', async () => {
    const client = await open(bistro());
    await client.close();
    const changes = client.changes({ tools: true })[Symbol.asyncIterator]();
    expect(await changes.next()).toEqual({ done: true, value: undefined });
  });
});

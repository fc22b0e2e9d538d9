import { setImmediate as turn } from 'node:timers/promises';
import type { ConnectTarget } from '../../../src/client/connect.js';
import { connect } from '../../../src/node/client/index.js';

/**
 * Not a server: visits those in the JSON of its first argument, one after the other. After each visit it prints
 * what is left of it, and in the end it must exit by itself.
 */
const targets = JSON.parse(process.argv[2] as string) as ConnectTarget[];
// Its own pipes are opened when they are first used.
void [process.stdout, process.stderr];
const before = process.getActiveResourcesInfo();

for (const target of targets) {
  const client = await connect(target, {
    onLog: () => {},
    roots: [],
    onElicit: () => ({ action: 'cancel' }),
  });
  await client.tools();
  const changes = client.changes({ tools: true })[Symbol.asyncIterator]();
  const change = changes.next();
  const call = client.callTool('wait', { id: 'last' }).catch(() => {});
  await client.ping();
  await client.close();
  await Promise.all([change, call]);
  console.log(JSON.stringify({ revision: client.negotiated.revision, left: await whatIsLeft() }));
}

/** What keeps this process alive that did not at the start, after sockets had the time to be closed. */
async function whatIsLeft(): Promise<string[]> {
  let left: string[] = [];
  for (let turns = 0; turns < 100; turns++) {
    await turn();
    left = process.getActiveResourcesInfo();
    for (const resource of [...before, 'Immediate']) {
      const at = left.indexOf(resource);
      if (at >= 0) left.splice(at, 1);
    }
    if (left.length === 0) return left;
  }
  return left;
}

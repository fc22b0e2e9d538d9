// A server over stdio that answers the methods in the JSON of its first argument: with a result, with an error,
// with nothing (null), or by ending ("exit"). What comes again is answered with the next entry of a list, and what
// comes before the handshake with the entry for "early " and the method.
import { createInterface } from 'node:readline';

const script = new Map(Object.entries(JSON.parse(process.argv[2])));
let isGreeted = false;
console.error(`[pid] ${process.pid}`);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  console.error(`[got] ${method}`);
  if (method === 'initialize') isGreeted = true;
  const entry = (isGreeted ? undefined : script.get(`early ${method}`)) ?? script.get(method);
  const answer = Array.isArray(entry) ? entry.shift() : entry;
  if (answer === 'exit') {
    console.error('I did not expect that');
    process.exit(3);
  }
  if (id === undefined || answer === null) continue;
  const outcome = answer ?? { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}

import { fileURLToPath } from 'node:url';
import { program } from '../programs/program.js';
import type { Order } from './fixtures/client.js';
import type { HostileInput, Way } from './hostile-inputs.js';
import { type Answer, type Ask, listenRaw, modern } from './raw-server.js';

/** A server that sends an input on one of its ways. */
export async function serveHostile(
  input: HostileInput,
  way: Way,
): Promise<{ target: Order['target']; close(): Promise<void> }> {
  if (way === 'lines') return { target: commandFor(input), async close() {} };
  const answers = Object.entries(input.replies).map(([method, reply]): [string, Answer] => [
    method,
    ask => send(ask, way, reply(ask.message.id), input.noise?.() ?? ''),
  ]);
  const { url, close } = await listenRaw(modern(Object.fromEntries(answers)));
  return { target: url, close };
}

function commandFor({ name }: HostileInput): Order['target'] {
  const path = fileURLToPath(new URL('./fixtures/hostile-process.ts', import.meta.url));
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  return { command: process.execPath, args: [program(path), name], cwd };
}

function send(ask: Ask, way: Way, messages: readonly string[], noise: string): void {
  if (way === 'json') return ask.json(messages[0]);
  ask.stream().response.end(noise + messages.map(text => `data: ${text}\n\n`).join(''));
}

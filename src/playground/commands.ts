import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpError, TenonError } from 'tenon/client';
import type { PageCommand, PageCommands, PageProblem } from './api.js';
import { refuse } from './guard.js';

/** What the commands of the page do. */
export type Commands = {
  [C in PageCommand]: (given: PageCommands[C]['takes']) => Promise<PageCommands[C]['returns']>;
};

const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Runs a command of the page, and sends its answer. */
export async function runCommand(
  commands: Commands,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!Object.hasOwn(commands, name))
    return refuse(response, { status: 404, reason: 'There is no such command.' });
  const body = await readBody(request);
  if (body === undefined) return refuse(response, { status: 413, reason: 'The command is too large.' });
  // A page that is closed or reloaded no longer waits for its calls.
  response.on('close', () => {
    if (name === 'request' && !response.writableEnded) void answer(commands, 'abandon', body);
  });
  const answered = await answer(commands, name as PageCommand, body);
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(answered));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function answer<C extends PageCommand>(commands: Commands, name: C, body: string): Promise<object> {
  try {
    return { value: await commands[name](JSON.parse(body)) };
  } catch (error) {
    return { problem: describeProblem(error) };
  }
}

function describeProblem(error: unknown): PageProblem {
  if (error instanceof McpError) {
    const { kind, message, code, data } = error;
    return { kind, message, code, data };
  }
  if (error instanceof TenonError) return { kind: error.kind, message: error.message };
  return { kind: 'unexpected', message: error instanceof Error ? error.message : String(error) };
}

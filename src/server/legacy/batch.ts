import type { Awaitable } from '../../base/settle.js';
import { type Malformed, type Message, type Request, readMessage } from '../../jsonrpc/message.js';
import type { Answer } from '../answer.js';
import type { LegacyServer } from './responder.js';
import type { LegacySession } from './session.js';

export const MAX_BATCH = 100;

/** Reads the messages of a batch; a string says why the batch as a whole is refused. */
export function readBatch(values: readonly unknown[]): (Message | Malformed)[] | string {
  if (values.length === 0) return 'a batch must not be empty';
  if (values.length > MAX_BATCH) return `a batch must not have more than ${MAX_BATCH} messages`;
  const messages = values.map(readMessage);
  const opens = messages.some(message => message.kind === 'request' && message.method === 'initialize');
  return opens ? 'initialize must not be part of a batch' : messages;
}

/** Answers a batch with the texts of its answers; empty if nothing in it needs one. */
export async function respondToBatch(
  legacy: LegacyServer,
  session: LegacySession,
  messages: readonly (Message | Malformed)[],
  respond: (request: Request) => Awaitable<Answer | undefined>,
): Promise<string[]> {
  const answers = await Promise.all(
    messages.map(async message => {
      if (message.kind === 'malformed') return { text: session.refuse(message) };
      if (message.kind === 'request') return respond(message);
      legacy.accept(session, message);
      return undefined;
    }),
  );
  return answers.flatMap(answer => (answer ? [answer.text] : []));
}

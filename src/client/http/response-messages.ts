import { isObject } from '../../base/json.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import { parseMessages, type Response, readMessage } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import type { Outgoing, Receive } from '../wire.js';

/** What the messages of a response belong to. */
export interface Source {
  /** The request that one of them answers, if there is one. */
  request?: Outgoing | undefined;
  session: string | undefined;
  isGivenUp(): boolean;
}

/** Finds the response to the request in a text of one message or several, and passes on the others. */
export function findAnswer(text: string, source: Source, receive: Receive): Awaitable<Response | undefined> {
  return andThen(readItems(text, source.isGivenUp), items => sort(items, source, receive));
}

/** The error in a body, if it may be about this request. */
export async function readError(
  text: string,
  request: Outgoing,
): Promise<
  (Response & { outcome: { error: { code: number; message: string; data?: unknown } } }) | undefined
> {
  try {
    for (const message of (await readItems(text, () => false)).map(item => readMessage(item))) {
      if (message.kind !== 'response' || !('error' in message.outcome)) continue;
      if (message.id === undefined || message.id === request.id) return message as never;
    }
  } catch {
    // The body is not JSON.
  }
  return undefined;
}

/** Parses a text that contains one message or a list of messages. */
function readItems(text: string, isGivenUp: () => boolean): Awaitable<readonly unknown[]> {
  return settle(
    () => parseMessages(text, isGivenUp),
    items => items,
    cause => {
      if (!(cause instanceof McpError)) throw cause;
      throw new InvalidAnswer(`the answer cannot be read: ${cause.message}`, { cause });
    },
  );
}

function sort(
  items: readonly unknown[],
  { request, session }: Source,
  receive: Receive,
): Response | undefined {
  let answer: Response | undefined;
  for (const item of items) {
    const message = readMessage(item);
    if (message.kind === 'malformed') {
      // Meant as the response, but malformed.
      if (request && isMeantFor(request, item))
        throw new InvalidAnswer(`the answer to ${request.method} is malformed: ${message.error.message}`);
      if (message.id !== undefined) receive(message, session, request?.id);
    } else if (message.kind !== 'response') receive(message, session, request?.id);
    else if (request && message.id === request.id) answer ??= message;
  }
  return answer;
}

/** Whether a malformed item was meant as the response to a request. */
function isMeantFor({ id }: Outgoing, item: unknown): boolean {
  return isObject(item) && item.id === id && item.method === undefined;
}

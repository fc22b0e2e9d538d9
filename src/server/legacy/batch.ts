import { tellOncePerProcess } from '../../base/once-per-process.js';
import {
  describeRepetition,
  errorText,
  type Malformed,
  type Message,
  readMessage,
} from '../../jsonrpc/message.js';
import { MESSAGE_BYTES, type ParsedText } from '../../jsonrpc/parse.js';
import type { Caller } from '../../protocol/caller.js';
import type { Service } from '../../protocol/service.js';
import type { Revision } from '../../revisions/index.js';
import { answerError, answerTo, type Deliver } from '../answer.js';
import type { Channel } from '../channel.js';
import { MAX_BATCH } from '../limits.js';
import { BatchAccount } from './batch-account.js';
import { BatchAnswers } from './batch-answers.js';
import type { LegacyResponder } from './responder.js';
import type { LegacySession } from './session.js';

const LEFT_OUT =
  'a message in a batch has no readable id, so the revision of its session has no answer to it; it was left out';

/** Reads the messages of a batch; a string is the reason why the whole batch is refused. */
export function readBatch(
  revision: Revision,
  values: readonly unknown[],
  { weight, repeatedName }: ParsedText,
): (Message | Malformed)[] | string {
  if (!revision.batches) return `revision ${revision.name} has no batches`;
  if (values.length === 0) return 'a batch must not be empty';
  if (values.length > MAX_BATCH) return `a batch must not have more than ${MAX_BATCH} messages`;
  if (repeatedName !== undefined) return describeRepetition(repeatedName);
  // The content is booked for the batch as a whole, which is held until its last message is answered.
  const messages = values.map(value => readMessage(value, MESSAGE_BYTES));
  // Which of its messages weigh how much is not known, so an answer that is kept counts as all of them.
  for (const message of messages) if (message.kind === 'response') message.weight = weight;
  const opens = messages.some(message => message.kind === 'request' && message.method === 'initialize');
  return opens ? 'initialize must not be part of a batch' : messages;
}

/**
 * The texts that answer a batch which is refused as a whole: the error for each request whose id can be read. They are a
 * batch themselves if the revision has batches.
 */
export function refuseBatch(
  revision: Revision | undefined,
  values: readonly unknown[],
  { repeatedName }: Pick<ParsedText, 'repeatedName'>,
  error: { code: number; message: string },
): string[] {
  const texts = values.flatMap(value => {
    const message = readMessage(value, 0, repeatedName);
    const isRequest =
      message.kind === 'request' || (message.kind === 'malformed' && message.answerTo === undefined);
    return isRequest && message.id !== undefined ? [errorText(message.id, error)] : [];
  });
  return revision?.batches && texts.length > 0 ? [`[${texts.join(',')}]`] : texts;
}

/** Where a batch came from. */
export interface BatchOrigin {
  readonly responder: Pick<LegacyResponder, 'respond' | 'accept'>;
  readonly service: Pick<Service, 'warn'>;
  readonly session: LegacySession;
  readonly channel: Channel;
  readonly caller: Caller | undefined;
  /** Called with the reason for each message that needs no response and cannot be accepted. */
  readonly refused?: ((problem: string) => void) | undefined;
}

/** Returns the texts of all responses to a batch of some weight; empty if no message in it needs one. */
export async function respondToBatch(
  messages: readonly (Message | Malformed)[],
  weight: number,
  { responder, service, session, channel, caller, refused }: BatchOrigin,
): Promise<string[]> {
  const excess = session.account.refusal(weight + messages.length * MESSAGE_BYTES);
  const batch = new BatchAccount(session.account, excess ? 0 : weight);
  const { revision } = session.handshake;
  const held = new BatchAnswers(revision, session.account);
  const answers = messages.map(async message => {
    if (message.kind === 'malformed') {
      if (message.isNotification) return undefined;
      const { error } = message;
      const id = session.takeMalformed(message);
      if (id !== undefined) return { text: errorText(id, error) };
      // The revision that has batches has no errors without an id.
      tellOncePerProcess(LEFT_OUT, text => service.warn(text, 'connection'));
      refused?.(error.message);
      return undefined;
    }
    if (message.kind === 'request') {
      const { id } = message;
      if (excess) return answerError(revision, id, excess);
      const respond = (deliver: Deliver) => {
        const hold: Deliver = answer => deliver(held.hold(id, answer));
        responder.respond(message, session, channel, caller, hold, batch.account);
      };
      return held.instead(id) ?? answerTo(respond);
    }
    const problem = responder.accept(session, message, caller, batch.account);
    if (problem !== undefined) refused?.(typeof problem === 'string' ? problem : problem.message);
    return undefined;
  });
  batch.close();
  const texts = (await Promise.all(answers)).flatMap(answer => (answer ? [answer.text] : []));
  held.release();
  return texts;
}

import { describeRepetition, type Malformed, type Message, readMessage } from '../../jsonrpc/message.js';
import { MESSAGE_BYTES, type ParsedText } from '../../jsonrpc/parse.js';
import type { Revision } from '../../revisions/index.js';
import { MAX_BATCH } from '../limits.js';

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

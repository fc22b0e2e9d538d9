import { pair } from '../client-faults/connected.js';
import { type Ask, legacy, modern } from '../client-faults/raw-server.js';

type Options = NonNullable<Parameters<typeof pair>[1]>;

/** What became of a question that a server asked during a call. */
export interface Outcome {
  /** The answer, if there was one. */
  answer?: Record<string, unknown>;
  /** The code of the error that a server of the handshake revisions got instead. */
  code?: number;
  /** What the call failed with. */
  failure?: Error;
  /** The capabilities that the client declared. */
  capabilities: object;
}

/** Asks a client one question, in the way of the revision. */
export async function ask(revision: string, question: object, options: Options): Promise<Outcome> {
  const outcome: Outcome = { capabilities: {} };
  let call: Ask | undefined;
  const server =
    revision === '2026-07-28'
      ? modern({
          'tools/call': asked => {
            const { _meta, inputResponses } = asked.message.params;
            outcome.capabilities = _meta['io.modelcontextprotocol/clientCapabilities'];
            if (!inputResponses)
              return asked.result({ resultType: 'input_required', inputRequests: { q: question } });
            outcome.answer = inputResponses.q;
            asked.text('done');
          },
        })
      : legacy({
          'tools/call': asked => {
            call = asked.stream().event({ jsonrpc: '2.0', id: 'q', ...question });
          },
          POST: reply => {
            const { result, error } = reply.message;
            if (result) outcome.answer = result;
            if (error) outcome.code = error.code;
            reply.send(202);
            call?.event(call.textMessage('done'));
          },
        });
  const { client, server: raw } = await pair(server, { revision, ...options });
  await client.callTool('ask').catch(error => {
    outcome.failure = error;
  });
  const [initialize] = raw.of('initialize');
  if (initialize) outcome.capabilities = initialize.message.params.capabilities;
  return outcome;
}

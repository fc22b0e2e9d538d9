import type { Result } from '../../protocol/call.js';
import { type McpError, missingCapability, type RequiredPage } from '../../protocol/errors.js';
import type { LegacyCall } from './call.js';
import type { LegacySession } from './session.js';

/**
 * In a revision with pages, only clients that can open them get the error about pages. Other clients get a failed
 * result, or the error about the missing capability.
 */
export function answerRequiredPages(call: LegacyCall, error: McpError): Result | undefined {
  const { session, method } = call;
  const hasPages = session.handshake.revision.elicitation.url;
  if (!hasPages || session.handshake.agreement.has('client.elicitation.url')) {
    rememberPages(session, error.data);
    return undefined;
  }
  if (method === 'tools/call') return { content: [{ type: 'text', text: error.message }], isError: true };
  throw missingCapability(`a page for the user (${error.message})`, 'elicitation.url');
}

/** Pages in an error are announced as finished like those in a question, so they are remembered, too. */
function rememberPages(session: LegacySession, data: unknown): void {
  if (!session.handshake.revision.elicitation.ids) return;
  const { elicitations } = data as { elicitations: Required<RequiredPage>[] };
  for (const { elicitationId } of elicitations) session.sentToPage(elicitationId);
}

import type { Result } from '../../protocol/call.js';
import { hasCapability } from '../../protocol/capabilities.js';
import { type McpError, missingCapability, type RequiredPage } from '../../protocol/errors.js';
import type { LegacyCall } from './call.js';
import type { LegacySession } from './session.js';

/** The error about pages is only for clients that open them; others get what those of older revisions get. */
export function answerRequiredPages(call: LegacyCall, error: McpError): Result | undefined {
  const { session, client, method } = call;
  const hasPages = session.handshake.revision.elicitation.url;
  if (!hasPages || hasCapability(client.capabilities, 'elicitation.url')) {
    rememberPages(session, error.data);
    return undefined;
  }
  if (method === 'tools/call') return { content: [{ type: 'text', text: error.message }], isError: true };
  throw missingCapability('elicitation.url', `a page for the user (${error.message})`);
}

/** The client is told of pages by an error, too, and of what was done there by the same notice. */
function rememberPages(session: LegacySession, data: unknown): void {
  if (!session.handshake.revision.elicitation.ids) return;
  const { elicitations } = data as { elicitations: Required<RequiredPage>[] };
  for (const { elicitationId } of elicitations) session.sentToPage(elicitationId);
}

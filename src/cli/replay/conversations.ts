import type { RecordedEntry } from './read-trace.js';

/**
 * Splits a recording into the conversations of its clients. Over HTTP they are told apart by their session, or by their
 * revision if there is none; over stdio there is only one.
 */
export function splitConversations(entries: readonly RecordedEntry[]): RecordedEntry[][] {
  const names = nameExchanges(entries);
  const conversations = new Map<string, RecordedEntry[]>();
  for (const entry of entries) {
    const name = names.get(entry.exchange) ?? '';
    const conversation = conversations.get(name) ?? [];
    conversation.push(entry);
    conversations.set(name, conversation);
  }
  return [...conversations.values()];
}

/** The name of the conversation of each HTTP request. */
function nameExchanges(entries: readonly RecordedEntry[]): Map<number | undefined, string> {
  const names = new Map<number | undefined, string>();
  let latest = '';
  for (const { exchange, request, response, message } of entries) {
    if (exchange === undefined) continue;
    const headers = request?.headers ?? response?.headers ?? {};
    const session = headers['mcp-session-id'];
    const revision = headers['mcp-protocol-version'] ?? agreedRevision(message);
    if (session !== undefined) names.set(exchange, `session ${session}`);
    else if (revision !== undefined && !names.get(exchange)?.startsWith('session'))
      names.set(exchange, `revision ${revision}`);
    else if (!names.has(exchange)) names.set(exchange, latest);
    if (agreedRevision(message) !== undefined) latest = names.get(exchange) ?? '';
  }
  return names;
}

/** The revision in the result of `initialize`. */
function agreedRevision(message: RecordedEntry['message']): string | undefined {
  const { protocolVersion, serverInfo } = (message?.result ?? {}) as Record<string, unknown>;
  return serverInfo !== undefined && typeof protocolVersion === 'string' ? protocolVersion : undefined;
}

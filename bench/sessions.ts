import { parseAnswer } from './answer.js';
import { authorization, baseHeaders } from './request.js';
import { clientInfo } from './scenarios.js';

const opened = new Map<string, string[]>();

interface Place {
  url: string;
  token: string | undefined;
}

/** The ids of `count` initialized sessions of a server. They are opened once and reused. */
export async function sessionsOf(place: Place, count: number): Promise<string[]> {
  const ids = opened.get(place.url) ?? [];
  opened.set(place.url, ids);
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(64, count - ids.length) }, () => openSession(place));
    ids.push(...(await Promise.all(batch)));
  }
  return ids.slice(0, count);
}

async function openSession(place: Place): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await post(place, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const text = await response.text();
  const sessionId = response.headers.get('mcp-session-id');
  const answer = parseAnswer(text, response.headers.get('content-type') ?? '');
  const { protocolVersion } = (answer.result ?? {}) as { protocolVersion?: string };
  if (sessionId === null || protocolVersion !== '2025-11-25') {
    throw new Error(`it opened no 2025-11-25 session; it answered ${response.status}: ${text.slice(0, 400)}`);
  }
  const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const accepted = await post(place, notice, { 'Mcp-Session-Id': sessionId });
  await accepted.text();
  if (accepted.status !== 202) throw new Error(`it answered ${accepted.status} to notifications/initialized`);
  return sessionId;
}

function post(
  { url, token }: Place,
  message: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...baseHeaders('2025-11-25'), ...authorization(token), ...headers },
    body: JSON.stringify(message),
  });
}

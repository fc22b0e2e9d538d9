import { parseAnswer } from './answer.js';
import { baseHeaders } from './request.js';
import { clientInfo } from './scenarios.js';

const opened = new Map<string, string[]>();

/** The ids of `count` initialized sessions of the server at `url`; they are opened once and kept. */
export async function sessionsOf(url: string, count: number): Promise<string[]> {
  const ids = opened.get(url) ?? [];
  opened.set(url, ids);
  while (ids.length < count) {
    const batch = Array.from({ length: Math.min(64, count - ids.length) }, () => openSession(url));
    ids.push(...(await Promise.all(batch)));
  }
  return ids.slice(0, count);
}

async function openSession(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await post(url, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const text = await response.text();
  const sessionId = response.headers.get('mcp-session-id');
  const answer = parseAnswer(text, response.headers.get('content-type') ?? '');
  const { protocolVersion } = (answer.result ?? {}) as { protocolVersion?: string };
  if (sessionId === null || protocolVersion !== '2025-11-25') {
    throw new Error(`it opened no 2025-11-25 session; it answered ${response.status}: ${text.slice(0, 400)}`);
  }
  const notice = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const accepted = await post(url, notice, { 'Mcp-Session-Id': sessionId });
  await accepted.text();
  if (accepted.status !== 202) throw new Error(`it answered ${accepted.status} to notifications/initialized`);
  return sessionId;
}

function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { ...baseHeaders('2025-11-25'), ...headers },
    body: JSON.stringify(message),
  });
}

import { clientInfo, type Era, message, type Scenario } from './scenarios.js';

/** The bytes of one HTTP request. Its id always has ten digits, so that it can be overwritten in place. */
export interface PreparedRequest {
  bytes: Buffer;
  idAt: number;
}

export const firstId = 1_000_000_000;

export function prepareRequest(
  url: URL,
  era: Era,
  scenario: Scenario,
  who: { session?: string | undefined; token?: string | undefined } = {},
): PreparedRequest {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: firstId,
    method: scenario,
    params: { ...paramsOf[scenario], ...(era === '2026-07-28' && { _meta: envelope }) },
  });
  const headers = {
    Host: url.host,
    ...baseHeaders(era),
    ...(who.session !== undefined && { 'Mcp-Session-Id': who.session }),
    ...authorization(who.token),
    ...(era === '2026-07-28' && mirrorHeaders[scenario]),
    'Content-Length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return { bytes, idAt: findId(bytes, firstId) };
}

export function baseHeaders(era: Era): Record<string, string> {
  return {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'MCP-Protocol-Version': era,
  };
}

export function authorization(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

/** The position of the digits of a message's id, or -1. */
export function findId(bytes: Buffer, id: number): number {
  const key = bytes.lastIndexOf(`"id":${id}`);
  return key === -1 ? -1 : key + '"id":'.length;
}

/** Overwrites the ten digits at `at`; much cheaper than formatting the number. */
export function writeId(bytes: Buffer, at: number, id: number): void {
  let rest = id;
  for (let digit = at + 9; digit >= at; digit--) {
    const tenth = (rest / 10) | 0;
    bytes[digit] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}

const paramsOf = {
  'tools/call': { name: 'echo', arguments: { message } },
  'tools/list': {},
};

const mirrorHeaders = {
  'tools/call': { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' },
  'tools/list': { 'Mcp-Method': 'tools/list' },
};

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, roots: {} },
};

/** The floor: `node:http`, one stringify, one parse. */
import { Agent, request } from 'node:http';
import { message } from '../scenarios.js';
import { serveRuns } from './run.js';

const agent = new Agent({ keepAlive: true });
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
let lastId = 0;

serveRuns(async url => () => call(new URL(url)));

function call(url: URL): Promise<string> {
  const params = { name: 'echo', arguments: { message }, _meta };
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'tools/call', params });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': Buffer.byteLength(body),
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()).result.content[0].text));
    });
    sent.on('error', reject).end(body);
  });
}

import { afterEach, describe, expect, it, vi } from 'vitest';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { askText, INVALID_STATE } from './asking.js';

const KEY = 'a key of at least thirty-two bytes for tests';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** A server for any runtime, whose tool asks something. */
function startNode(): (extra?: object) => Promise<any> {
  const server = new Server({ name: 'asking', version: '1.0.0' });
  server.tool('ask', {}, (_args, ctx) => askText(ctx, 'q'));
  const handle = fetchHandler(server);
  return async extra => {
    const params = { name: 'ask', arguments: {}, ...extra, _meta: META };
    const response = await handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'ask',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    );
    return response.json();
  };
}

const inputResponses = { q0: { action: 'accept', content: { text: 'A' } } };

describe('nodes on any runtime', () => {
  it('go on with the rounds of each other if TENON_KEYS is the same', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.stubEnv('TENON_KEYS', KEY);
    const [one, other] = [startNode(), startNode()];
    const { requestState } = (await one()).result;
    expect((await other({ requestState, inputResponses })).result.content[0].text).toBe('A');
    expect(warn).not.toHaveBeenCalled();
  });

  it('do not without, and say so once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.stubEnv('TENON_KEYS', undefined);
    const [one, other] = [startNode(), startNode()];
    expect(warn).not.toHaveBeenCalled();
    const { requestState } = (await one()).result;
    await other();
    const { code, message } = INVALID_STATE;
    expect((await other({ requestState, inputResponses })).error).toEqual({ code, message });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('set TENON_KEYS')]]);
  });
});

import { Server } from 'tenon';
import { signIn } from 'tenon/auth/client';
import { connect } from 'tenon/client';
import { listen } from 'tenon/node';
import { z } from 'zod';
import { serveForeign } from './foreign-server.js';
import { trace } from './trace.js';

/** The five ways of a request that docs/request.md walks, each with the files that it really passes. */
export const WAYS: Readonly<Record<string, () => Promise<string[]>>> = {
  'A call of 2026-07-28': async () => {
    const url = await serve();
    const call = () => post(url, modern('greet'), modernHeaders('greet'));
    await call();
    return trace(call);
  },

  'A call of 2026-07-28 with a question': async () => {
    const url = await serve();
    const call = async () => {
      const first = await post(url, modern('reserve'), modernHeaders('reserve'));
      const { inputRequests, requestState } = JSON.parse(first.text).result;
      const [name] = Object.keys(inputRequests);
      const inputResponses = { [name as string]: { action: 'accept', content: { guests: 2 } } };
      const last = await post(
        url,
        modern('reserve', { inputResponses, requestState }),
        modernHeaders('reserve'),
      );
      if (!last.text.includes('2 guests')) throw new Error(last.text);
    };
    await call();
    return trace(call);
  },

  'A call of 2025-06-18 with progress': async () => {
    const url = await serve();
    const initialize = {
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'curl', version: '1' },
      },
    };
    const { session } = await post(url, initialize);
    const headers = { 'mcp-session-id': session as string, 'mcp-protocol-version': '2025-06-18' };
    await post(url, { method: 'notifications/initialized' }, headers, false);
    const call = async () => {
      const params = { name: 'count', arguments: {}, _meta: { progressToken: 1 } };
      const { text } = await post(url, { method: 'tools/call', params }, headers);
      if (!text.includes('notifications/progress')) throw new Error(text);
    };
    await call();
    return trace(call);
  },

  'A call of the client, with a question': async () => {
    const url = await serveForeign(({ params }) =>
      params.inputResponses
        ? { resultType: 'complete', content: [{ type: 'text', text: 'reserved' }] }
        : { resultType: 'input_required', inputRequests: { guests: QUESTION }, requestState: 'sealed' },
    );
    const client = await connect(url, { onElicit: () => ({ action: 'accept', content: { guests: 2 } }) });
    const call = () => client.callTool('reserve', {});
    await call();
    return trace(call);
  },

  'A 401 that leads to a sign-in': async () => {
    const url = await serveForeign(
      () => ({ resultType: 'complete', content: [{ type: 'text', text: 'hello' }] }),
      true,
    );
    return trace(async () => {
      const client = await connect(url, { auth: signIn({ redirect: BROWSER }) });
      await client.callTool('greet', {});
    });
  },
};

const QUESTION = {
  method: 'elicitation/create',
  params: {
    message: 'How many?',
    requestedSchema: { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] },
  },
};

/** A user whose browser comes back at once. */
const BROWSER = {
  prepare: () => ({
    uri: 'http://127.0.0.1:9/callback',
    visit: async (page: URL) => {
      const { headers } = await fetch(page, { redirect: 'manual' });
      return new URL(headers.get('location') ?? '');
    },
    close() {},
  }),
};

async function serve(): Promise<string> {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('greet', { input: z.object({}) }, () => 'hello');
  server.tool('count', {}, (_, ctx) => {
    ctx.progress(1);
    return 'counted';
  });
  server.tool('reserve', {}, async (_, ctx) => {
    const party = await ctx.elicit('How many?', z.object({ guests: z.number() }));
    return party.action === 'accept' ? `${party.content.guests} guests` : 'none';
  });
  const { url } = await listen(server, { port: 0 });
  return url;
}

function modern(name: string, more: object = {}): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  return { method: 'tools/call', params: { name, arguments: {}, ...more, _meta } };
}

function modernHeaders(name: string): Record<string, string> {
  return { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
}

async function post(url: string, message: object, headers: Record<string, string> = {}, isRequest = true) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...(isRequest && { id: 1 }), ...message }),
  });
  return { text: await response.text(), session: response.headers.get('mcp-session-id') };
}

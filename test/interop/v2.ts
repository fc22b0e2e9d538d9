import {
  Client,
  type ClientOptions,
  type Transport as ClientTransport,
  LOG_LEVEL_META_KEY,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openBistro, STDIO } from './bistro.js';
import {
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  createUser,
  type Heard,
  type Host,
  type Transport,
  watchFetch,
} from './host.js';

/** How the client finds the revision: by a handshake for one revision, at exactly one, or by itself. */
export type Mode = { handshake: string } | { pin: string } | 'auto';

/** Opens a bistro and connects the official client of the v2 line. */
export async function connectV2(kind: Transport, mode: Mode): Promise<Host> {
  const wire = await openWire(kind);
  const client = new Client(CLIENT_INFO, { capabilities: CLIENT_CAPABILITIES, ...negotiation(mode) });
  const user = createUser();
  const heard: Heard = { logs: [], updated: [], toolChanges: 0 };
  client.setRequestHandler('elicitation/create', ({ params }) => user.fillIn(params as never));
  client.setRequestHandler('sampling/createMessage', ({ params }) => user.think(params as never) as never);
  client.setRequestHandler('roots/list', () => ({ roots: user.folders() }));
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.logs.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.updated.push(params.uri);
  });
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.toolChanges++);
  await client.connect(wire.transport);
  const isModern = client.getProtocolEra() === 'modern';
  if (!isModern) await wire.ready;

  return {
    revision: client.getNegotiatedProtocolVersion() ?? '',
    server: client.getServerVersion() as Host['server'],
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() as Host['capabilities'],
    heard,
    user,
    versionHeader: wire.versionHeader,
    listTools: async () => (await client.listTools()).tools as never,
    listResources: async () => (await client.listResources()).resources as never,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates as never,
    listPrompts: async () => (await client.listPrompts()).prompts as never,
    async callTool(name, args = {}, { onProgress, signal, logLevel } = {}) {
      if (logLevel && !isModern) await client.setLoggingLevel(logLevel);
      const meta = logLevel && isModern ? { _meta: { [LOG_LEVEL_META_KEY]: logLevel } } : {};
      const options = { ...(onProgress && { onprogress: onProgress as never }), ...(signal && { signal }) };
      return (await client.callTool({ name, arguments: args, ...meta }, options)) as never;
    },
    readResource: async uri => (await client.readResource({ uri })).contents as never,
    getPrompt: async (name, args = {}) => (await client.getPrompt({ name, arguments: args })) as never,
    complete: async request => (await client.complete(request)).completion as never,
    async watch(uri) {
      if (isModern) {
        const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
        return () => subscription.close();
      }
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    ping: () => client.ping(),
    async close() {
      if (!isModern) await wire.end();
      await client.close();
      await wire.close();
    },
  };
}

function negotiation(mode: Mode): ClientOptions {
  if (mode === 'auto') return { versionNegotiation: { mode } };
  if ('pin' in mode) return { versionNegotiation: { mode } };
  return { supportedProtocolVersions: [mode.handshake] };
}

interface Wire {
  transport: ClientTransport;
  versionHeader(): string | undefined;
  /** Resolves once the client can hear what it did not ask for. */
  ready: Promise<void>;
  /** Ends the session, where there is one. */
  end(): Promise<void>;
  /** Closes the bistro. */
  close(): Promise<void>;
}

async function openWire(kind: Transport): Promise<Wire> {
  const nothing = async () => {};
  if (kind === 'stdio') {
    const transport = new StdioClientTransport({ ...STDIO, stderr: 'ignore' });
    return { transport, versionHeader: () => undefined, ready: nothing(), end: nothing, close: nothing };
  }
  const { url, sseUrl, close } = await openBistro();
  const { fetch, versionHeader, streaming } = watchFetch();
  if (kind === 'HTTP+SSE') {
    const transport = new SSEClientTransport(sseUrl, { fetch });
    return { transport, versionHeader, ready: nothing(), end: nothing, close };
  }
  const transport = new StreamableHTTPClientTransport(url, { fetch });
  return { transport, versionHeader, ready: streaming, end: () => transport.terminateSession(), close };
}

import { type Client, type ConnectOptions, type ConnectTarget, connect } from 'tenon/client';
import { createBistro } from '../../examples/bistro/server.js';
import { type Bistro, openBistro, STDIO } from '../interop/bistro.js';
import { CLIENT_INFO, createHeard, createUser, type Heard, type Host } from '../interop/host.js';

export type Way =
  | 'in memory'
  | 'over Streamable HTTP'
  | 'over Streamable HTTP at /sse'
  | 'over HTTP+SSE'
  | 'over stdio';

/**
 * A host with our own client inside, connected to a bistro, which is opened for it unless it is shared. Without a
 * revision it finds out by itself.
 */
export async function connectTenon(way: Way, revision?: string, shared?: Bistro): Promise<Host> {
  const { target, close } = await openTarget(way, shared);
  const user = createUser();
  const heard = createHeard();
  const options: ConnectOptions = {
    info: CLIENT_INFO,
    // Many programs start at once here, and who is not up in time is taken to be old.
    probeTimeoutMs: 25_000,
    onElicit: form => user.fillIn(form),
    onSample: params => user.think(params),
    roots: () => user.folders(),
    onLog: message => void heard.logs.push(message),
    ...(revision !== undefined && pin(way, revision)),
  };
  const client = await connect(target, options);
  const told = <T>(result: Promise<T>) => tellErrors(heard, result);

  return {
    revision: client.revision,
    server: client.server.info as Host['server'],
    instructions: client.server.instructions,
    capabilities: client.server.capabilities,
    heard,
    user,
    versionHeader: undefined,
    listTools: () => client.tools(),
    listResources: () => client.resources(),
    listTemplates: () => client.resourceTemplates(),
    listPrompts: () => client.prompts(),
    async callTool(name, args, { onProgress, signal, logLevel } = {}) {
      if (logLevel) await client.setLogLevel(logLevel);
      const tell: typeof onProgress = progress => {
        heard.progress.push(progress);
        onProgress?.(progress);
      };
      return told(client.callTool(name, args, { signal, onProgress: tell }));
    },
    readResource: async uri => (await told(client.readResource(uri))).contents,
    getPrompt: (name, args) => told(client.getPrompt(name, args)),
    complete: ({ ref, argument, context }) =>
      client.complete(ref, argument, context && { context: context.arguments }),
    watch: uri => watch(client, uri, heard),
    ping: async () => {
      await client.ping();
      return {};
    },
    async close() {
      await client.close();
      await close();
    },
  };
}

/** Our server has the newer transport at every address, so only a memory leads a client to the older one. */
function pin(way: Way, revision: string): ConnectOptions {
  return way === 'over HTTP+SSE' ? { negotiated: { revision, sse: true } } : { revision };
}

async function openTarget(
  way: Way,
  shared?: Bistro,
): Promise<{ target: ConnectTarget; close(): Promise<void> }> {
  if (way === 'in memory') return { target: createBistro(), close: async () => {} };
  if (way === 'over stdio') return { target: STDIO, close: async () => {} };
  const { url, sseUrl, close } = shared ? { ...shared, close: async () => {} } : await openBistro();
  return { target: way === 'over Streamable HTTP' ? url : sseUrl, close };
}

async function watch(client: Client, uri: string, heard: Heard): Promise<() => Promise<void>> {
  const controller = new AbortController();
  let onReady = () => {};
  const ready = new Promise<void>(resolve => {
    onReady = resolve;
  });
  const listening = (async () => {
    const options = { signal: controller.signal, onReady };
    for await (const change of client.changes({ tools: true, resources: [uri] }, options)) {
      if (change.kind === 'resource') heard.updated.push(change.uri);
      if (change.kind === 'tools') heard.toolChanges++;
    }
  })();
  await ready;
  return () => {
    controller.abort();
    return listening;
  };
}

async function tellErrors<T>(heard: Heard, result: Promise<T>): Promise<T> {
  return result.catch(error => {
    heard.errors.push(error.code);
    throw error;
  });
}

import { UsageError } from '../base/errors.js';
import { checkOptions, type OptionNames } from '../base/options.js';
import {
  type ChangeFilter,
  type Client,
  type ConnectOptions,
  connect,
  type ToolTypes,
} from '../client/index.js';
import type { Caller } from '../protocol/caller.js';
import { SERVICE, type Servable } from '../protocol/service.js';
import { type FetchHandler, fetchHandler, type HandlerOptions } from '../server/http/index.js';
import { answering, type TestAnswers } from './answers.js';
import { type Heard, Recorder } from './heard.js';
import { recordProgress } from './progress.js';

/** Options of the client, as for `connect`, and of the server. */
export interface TestOptions extends Omit<ConnectOptions, 'fetch'> {
  /** Fixed answers of the user and the model; use `onElicit` and the others to decide each time. */
  answers?: TestAnswers | undefined;
  /** The caller of all requests: `ctx.caller`, as if a token had identified it. */
  caller?: Caller | undefined;
  /** Options of the server, as for `fetchHandler`. */
  handler?: HandlerOptions | undefined;
  /** The URL that client and server use; `http://localhost/mcp` by default. */
  url?: string | undefined;
}

/** A client of `tenon/client` that records logs, progress, questions and notifications. `close` closes its handler. */
export interface TestClient<Tools extends ToolTypes = ToolTypes> extends Client<Tools> {
  /** The messages of the server so far. */
  readonly heard: Heard;
  /** Records changes in `heard.changes` from now on. Resolves when the subscription is active. */
  watch(filter: ChangeFilter): Promise<void>;
}

/**
 * Connects a test to a server: a real client, through the HTTP handler, without a socket. It uses the given revision,
 * or the newest.
 *
 * @example
 * await using client = await connectTest(server, { revision: '2025-06-18', answers: { elicit: { guests: 2 } } });
 * const { structuredContent } = await client.callTool('reserve', { restaurant: 'Chez Nous' });
 */
export async function connectTest<Tools extends ToolTypes = ToolTypes>(
  server: Servable,
  options: TestOptions = {},
): Promise<TestClient<Tools>> {
  if (!(SERVICE in Object(server))) {
    throw new UsageError('connectTest needs a Server; for a URL or a program, use connect of tenon/client');
  }
  const { answers, caller, handler: handlerOptions, url = DEFAULT_URL, ...own } = options;
  checkOptions({ caller, handler: handlerOptions, url }, OWN_OPTIONS, 'connectTest');
  // TypeScript refuses it, too.
  if ((own as ConnectOptions).fetch !== undefined)
    throw new UsageError(
      'connectTest has no option "fetch", because its requests go straight to the handler; ' +
        'to send them another way, use connect of tenon/client',
    );
  const heard = new Recorder();
  const handler = fetchHandler(inOneProcess(server), {
    keys: [sharedKey()],
    ...withCaller(handlerOptions, caller),
  });
  const connecting = connect<Tools>(url, {
    ...hearing(own, heard),
    ...answering(own, answers, heard),
    fetch: fetchFrom(handler),
  });
  const client = await connecting.catch(async error => {
    await handler.close(0);
    throw error;
  });
  const close = client.close.bind(client);
  recordProgress(client, heard);
  return Object.assign(client, {
    heard,
    watch: (filter: ChangeFilter) => watch(client, filter, heard),
    async close() {
      await close();
      // No grace period: after the client is closed, no call needs to finish.
      await handler.close(0);
    },
  });
}

/** The same server without warnings about several processes: a test has one. */
function inOneProcess(server: Servable): Servable {
  const service = server[SERVICE];
  const isAlone = true;
  const remote = () => Object.assign(Object.create(service.remote()), { isAlone });
  return { [SERVICE]: Object.assign(Object.create(service), { isAlone, remote }) };
}

const DEFAULT_URL = 'http://localhost/mcp';

/** The options that neither the client nor `answers` checks. */
const OWN_OPTIONS: OptionNames<Pick<TestOptions, 'caller' | 'handler' | 'url'>> = {
  caller: 'an object',
  handler: 'an object',
  url: 'a text',
};

let key: Uint8Array | undefined;

/** Shared by all clients of a process, so that one can continue a request that another began. */
function sharedKey(): Uint8Array {
  key ??= crypto.getRandomValues(new Uint8Array(32));
  return key;
}

function withCaller(options: HandlerOptions = {}, caller: Caller | undefined): HandlerOptions {
  if (!caller) return options;
  if (options.auth || options.authenticate)
    throw new UsageError('use either caller or the auth of handler, not both');
  return { ...options, authenticate: () => caller };
}

/** The options of a client that records logs and notifications before the test's own handlers get them. */
function hearing(own: ConnectOptions, heard: Recorder): ConnectOptions {
  return {
    ...own,
    logLevel: own.logLevel ?? 'debug',
    onLog(...args) {
      heard.note('logs', args[0]);
      own.onLog?.(...args);
    },
    onNotification(...args) {
      heard.note('notifications', { method: args[0], params: args[1] });
      own.onNotification?.(...args);
    },
  };
}

/** Wraps a handler as `fetch` that rejects when its signal aborts. */
function fetchFrom(handler: FetchHandler): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    return new Promise((resolve, reject) => {
      const { signal } = request;
      signal.addEventListener('abort', () => reject(signal.reason));
      handler(request).then(resolve, reject);
    });
  };
}

async function watch(client: Client, filter: ChangeFilter, heard: Recorder): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const listen = async () => {
      for await (const change of client.changes(filter, { onReady: () => resolve() }))
        heard.note('changes', change);
    };
    listen().then(resolve, reject);
  });
}

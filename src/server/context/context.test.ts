import { beforeEach, describe, expect, it } from 'vitest';
import { connectRaw, type RawClient, type RawClientOptions } from '../../../test/raw-client.js';
import type { JsonObject } from '../../base/json.js';
import type { ClientCapabilities, ClientCapability } from '../../protocol/capabilities.js';
import { ERROR } from '../../protocol/errors.js';
import { LOG_LEVELS } from '../../protocol/logging.js';
import { META } from '../../protocol/meta.js';
import { type FetchHandler, fetchHandler } from '../http/index.js';
import { Server } from '../server.js';
import type { Context } from './context.js';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';

let server: Server;

beforeEach(() => {
  server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
});

/** Runs something inside a tool and returns what it returned. */
async function inside<T>(
  run: (ctx: Context) => T | Promise<T>,
  options: RawClientOptions,
  params: JsonObject = {},
): Promise<{ value: T; client: RawClient }> {
  let value: T | undefined;
  const handle = server.tool('tool', {}, async (_, ctx) => {
    value = await run(ctx);
  });
  const client = await connectRaw(server, options);
  await client.request('tools/call', { name: 'tool', ...params });
  handle.remove();
  return { value: value as T, client };
}

describe.each([LEGACY, MODERN])('the context on %s', revision => {
  it('tells the revision, the client and who calls', async () => {
    const caller = { principal: 'ada' };
    const capabilities = { roots: { listChanged: true } };
    const options = { revision, capabilities, authenticate: () => caller };
    const { value } = await inside(({ revision, client, caller }) => ({ revision, client, caller }), options);
    expect(value).toEqual({
      revision,
      client: { info: { name: 'tenon-test-client', version: '1.0.0' }, capabilities },
      caller,
    });
  });

  // covers: 2026-07-28/versioning/extension-of-one-side
  it('tells what the client supports', async () => {
    const capabilities: ClientCapabilities = {
      elicitation: {},
      sampling: { tools: {} },
      extensions: { 'a/b': {} },
    };
    const asked: ClientCapability[] = [
      'elicitation',
      'elicitation.form',
      'elicitation.url',
      'sampling',
      'sampling.tools',
      'sampling.context',
      'roots',
      'extensions.a/b',
      'extensions.c/d',
    ];
    const { value } = await inside(({ supports }) => asked.filter(supports), { revision, capabilities });
    expect(value).toEqual([
      'elicitation',
      'elicitation.form',
      'sampling',
      'sampling.tools',
      'extensions.a/b',
    ]);
  });

  it('shows the metadata and the trace of the request', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const _meta = { 'com.example/a': 1, traceparent, tracestate: 'a=b' };
    const { value } = await inside(({ meta, trace }) => ({ meta, trace }), { revision }, { _meta });
    expect(value.meta).toMatchObject(_meta);
    expect(value.trace).toEqual({ traceparent, tracestate: 'a=b' });
    const without = await inside(({ meta, trace }) => ({ meta: meta['com.example/a'], trace }), { revision });
    expect(without.value).toEqual({ meta: undefined, trace: undefined });
  });

  it('has no answers and no state in the first round', async () => {
    const read = ({ inputResponses, requestState }: Context) => ({ inputResponses, requestState });
    const { value } = await inside(read, { revision });
    expect(value).toEqual({ inputResponses: undefined, requestState: undefined });
  });

  it('may be taken apart', async () => {
    const { client } = await inside(
      ({ log, progress, error, supports }) => {
        log.error('one');
        progress(1);
        return [error('x'), supports('roots')];
      },
      { revision },
      { _meta: { progressToken: 1, [META.logLevel]: 'debug' } },
    );
    expect(client.notifications.map(({ method }) => method)).toEqual([
      'notifications/message',
      'notifications/progress',
    ]);
  });

  describe('progress', () => {
    const values = (client: RawClient) => client.notifications.map(({ params }) => params.progress);

    // covers: 2026-07-28/progress/only-tokens-of-open-requests
    it.each(['token', '', 0, 7])('is sent under the token %j', async progressToken => {
      const { client } = await inside(
        ({ progress }) => progress(1, { total: 2, message: 'half' }),
        { revision },
        { _meta: { progressToken } },
      );
      expect(client.notifications).toMatchObject([
        {
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2, message: 'half' },
        },
      ]);
    });

    // covers: 2026-07-28/progress/only-tokens-of-open-requests
    it('is not sent to a client that gave no token, or one that is none', async () => {
      for (const _meta of [{}, { progressToken: null }, { progressToken: 1.5 }, { progressToken: {} }]) {
        const { client } = await inside(({ progress }) => progress(1), { revision }, { _meta });
        expect(client.notifications).toEqual([]);
      }
    });

    // covers: 2026-07-28/progress/progress-increases
    it('only ever grows', async () => {
      const { client } = await inside(
        ({ progress }) => {
          for (const value of [0, 0, 0.5, 0.25, Number.NaN, -1, 1, 1, 2]) progress(value);
        },
        { revision },
        { _meta: { progressToken: 1 } },
      );
      expect(values(client)).toEqual([0, 0.5, 1, 2]);
    });

    it('is sent without a total or a message that JSON does not have', async () => {
      const { client } = await inside(
        ({ progress }) => {
          progress(1, { total: Number.POSITIVE_INFINITY, message: 7 as never });
          progress(2, { total: Number.NaN, message: undefined as never });
        },
        { revision },
        { _meta: { progressToken: 1 } },
      );
      expect(client.notifications.map(({ params }) => params)).toEqual([
        { progressToken: 1, progress: 1 },
        { progressToken: 1, progress: 2 },
      ]);
    });

    it('is not sent where it is not a number that JSON has', async () => {
      const { client } = await inside(
        ({ progress }) => {
          progress(Number.NEGATIVE_INFINITY);
          progress(Number.POSITIVE_INFINITY);
          progress(1);
        },
        { revision },
        { _meta: { progressToken: 1 } },
      );
      expect(values(client)).toEqual([1]);
    });

    // covers: 2026-07-28/progress/progress-stops
    it('and logs stop when the call has ended', async () => {
      let late = () => {};
      const { client } = await inside(
        ({ progress, log }) => {
          progress(1);
          late = () => {
            progress(2);
            log.error('late');
          };
        },
        { revision },
        { _meta: { progressToken: 1, [META.logLevel]: 'debug' } },
      );
      late();
      await client.request('tools/list').catch(() => {});
      expect(values(client)).toEqual([1]);
    });
  });
});

describe('the answers that a request carries', () => {
  const inputResponses = { a: { action: 'accept', content: {} }, b: { roots: [] } };
  const read = ({ inputResponses, requestState }: Context) => [
    inputResponses && [...inputResponses],
    requestState,
  ];

  it('are shown as they came on the newest revision', async () => {
    const { value } = await inside(read, { revision: MODERN }, { inputResponses });
    expect(value).toEqual([Object.entries(inputResponses), undefined]);
  });

  it('mean nothing where there are no rounds', async () => {
    const { value } = await inside(read, { revision: LEGACY }, { inputResponses, requestState: 'x' });
    expect(value).toEqual([undefined, undefined]);
  });

  it.each(['', 'x', 'AAAA'])('are refused with the state %j, which nobody sealed', async requestState => {
    const call = inside(read, { revision: MODERN }, { inputResponses, requestState });
    await expect(call).rejects.toMatchObject({ code: ERROR.invalidParams });
  });
});

describe('logs on a handshake revision', () => {
  const logAll = (ctx: Context) => {
    for (const level of LOG_LEVELS) ctx.log[level]({ n: 1 }, 'kitchen');
  };
  const levels = (client: RawClient) => client.notifications.map(({ params }) => params.level);

  it('carry the level, the data and the logger', async () => {
    const { client } = await inside(ctx => ctx.log.warning({ rows: 3 }, 'database'), { revision: LEGACY });
    expect(client.notifications).toMatchObject([
      {
        method: 'notifications/message',
        params: { level: 'warning', logger: 'database', data: { rows: 3 } },
      },
    ]);
    const bare = await inside(ctx => ctx.log.info('text'), { revision: LEGACY });
    expect(bare.client.notifications[0]?.params).toEqual({ level: 'info', data: 'text' });
  });

  // covers: 2025-06-18/logging/data-is-validated, 2026-07-28/logging/data-is-validated
  it('have data, whatever the author logs, and never fail a call', async () => {
    const circular: JsonObject = {};
    circular.self = circular;
    const { client, value } = await inside(
      ctx => {
        for (const data of [undefined, null, 1n, circular, () => 1]) ctx.log.info(data);
        return 'done';
      },
      { revision: LEGACY },
    );
    expect(value).toBe('done');
    const text = expect.any(String);
    const data = client.notifications.map(({ params }) => params.data);
    expect(data).toEqual([null, null, expect.stringContaining('BigInt'), text, text]);
  });

  it('begin at info until the client sets a level', async () => {
    const { client } = await inside(logAll, { revision: LEGACY });
    expect(levels(client)).toEqual(LOG_LEVELS.slice(1));
  });

  it.each(LOG_LEVELS)('begin at %s once the client has set that', async level => {
    server.tool('log', {}, (_, ctx) => logAll(ctx));
    const client = await connectRaw(server, { revision: LEGACY });
    await client.request('logging/setLevel', { level });
    await client.request('tools/call', { name: 'log' });
    expect(levels(client)).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });

  it('follow a level only in the session that set it', async () => {
    server.tool('log', {}, (_, ctx) => ctx.log.info('hello'));
    const quiet = await connectRaw(server, { revision: LEGACY });
    const other = await connectRaw(server, { revision: LEGACY });
    await quiet.request('logging/setLevel', { level: 'emergency' });
    for (const client of [quiet, other]) await client.request('tools/call', { name: 'log' });
    expect(quiet.notifications).toHaveLength(0);
    expect(other.notifications).toHaveLength(1);
  });
});

describe('logs on the newest revision', () => {
  const logAll = (ctx: Context) => {
    for (const level of LOG_LEVELS) ctx.log[level](level);
  };

  // covers: 2026-07-28/logging/nothing-without-a-level
  it('are not sent unless the request asks for them', async () => {
    const { client } = await inside(logAll, { revision: MODERN });
    expect(client.notifications).toEqual([]);
  });

  it.each(LOG_LEVELS)('begin at %s if the request says so, and only for that request', async level => {
    server.tool('log', {}, (_, ctx) => logAll(ctx));
    const client = await connectRaw(server, { revision: MODERN });
    await client.request('tools/call', { name: 'log', _meta: { [META.logLevel]: level } });
    await client.request('tools/call', { name: 'log' });
    const levels = client.notifications.map(({ params }) => params.level);
    expect(levels).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });
});

describe('a session', () => {
  beforeEach(() => {
    server.tool('count', {}, (_, { session }) => {
      const count = ((session?.values.get('count') as number | undefined) ?? 0) + 1;
      session?.values.set('count', count);
      return session ? count : 'no session';
    });
  });

  async function count(client: RawClient): Promise<unknown> {
    const { content } = await client.request('tools/call', { name: 'count' });
    return (content as { text: string }[])[0]?.text;
  }

  it('keeps values from one request to the next, apart from other sessions', async () => {
    const one = await connectRaw(server, { revision: LEGACY });
    const two = await connectRaw(server, { revision: LEGACY });
    expect([await count(one), await count(one), await count(two), await count(one)]).toEqual([
      '1',
      '2',
      '1',
      '3',
    ]);
  });

  // covers: 2026-07-28/basic/no-context-from-earlier-requests, 2026-07-28/basic/state-has-an-explicit-id
  it('does not exist on the newest revision', async () => {
    const client = await connectRaw(server, { revision: MODERN });
    expect([await count(client), await count(client)]).toEqual(['no session', 'no session']);
  });
});

describe('the signal', () => {
  let reasons: unknown[];
  let started: Promise<void>;

  beforeEach(() => {
    reasons = [];
    started = new Promise(resolve => {
      server.tool('wait', {}, (_, { signal }) => {
        resolve();
        return new Promise<void>(done => {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            done();
          });
        });
      });
    });
  });

  it('aborts with the reason of a client that cancels, who gets no answer', async () => {
    const client = await connectRaw(server, { revision: LEGACY });
    const call = client.request('tools/call', { name: 'wait' });
    await started;
    // The handshake was request 1.
    await client.notify('notifications/cancelled', { requestId: 2, reason: 'changed my mind' });
    await expect(call).rejects.toThrow('tools/call was not answered');
    expect(reasons).toMatchObject([{ name: 'Cancelled', message: 'changed my mind' }]);
  });

  /** Calls the tool with the newest revision, over a connection that the test holds. */
  function callOver(handler: FetchHandler, signal?: AbortSignal): Promise<Response> {
    const _meta = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} };
    return handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        ...(signal && { signal }),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': 'tools/call',
          'mcp-name': 'wait',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'wait', _meta },
        }),
      }),
    );
  }

  // covers: 2026-07-28/cancellation/disconnect-cancels
  it('aborts when a client of the newest revision disconnects', async () => {
    const leaving = new AbortController();
    void callOver(fetchHandler(server), leaving.signal);
    await started;
    leaving.abort();
    expect(reasons).toMatchObject([{ name: 'Cancelled', message: 'the client disconnected' }]);
  });

  it('aborts when the server closes and has waited long enough', async () => {
    const handler = fetchHandler(server);
    void callOver(handler);
    await started;
    const closed = handler.close(20);
    expect(reasons).toEqual([]);
    await closed;
    expect(reasons).toMatchObject([{ name: 'Cancelled', message: 'the server is shutting down' }]);
  });
});

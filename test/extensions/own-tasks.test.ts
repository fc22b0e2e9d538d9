import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { resultType, notification as taken } from '../../src/client/extensions/index.js';
import { type ClientExtension, McpError } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import {
  type Extension,
  extension,
  extensionResult,
  method,
  notice,
} from '../../src/server/extensions/index.js';
import { Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { follow, jobs, jobsClient, TASKS } from './own-tasks.js';

const INFO = { name: 'jobs', version: '1.0.0' };

describe.each(['2025-11-25', '2026-07-28'])('an extension that brings jobs, on %s', revision => {
  async function open(extensions: ClientExtension[]) {
    const own = jobs();
    const { url } = await serve(new Server(INFO, { extensions: [own], onError: () => {} }));
    const client = await connect(url, { revision, extensions });
    onTestFinished(() => client.close());
    return { client, own };
  }

  it('returns its own result type, answers its method, and pushes its notices', async () => {
    const { client, own } = await open([jobsClient()]);
    const started = await client.request('tools/call', { name: 'render', arguments: {} });
    expect(started).toMatchObject({ resultType: 'job', jobId: 'job-1', status: 'working' });
    expect(await client.request('jobs/get', { jobId: 'job-1' })).toMatchObject({ status: 'working' });
    await client.request('tools/call', { name: 'render', arguments: {} });
    const text = await follow(client, started, () => {
      own.finish('job-2', 'of another');
      own.finish('job-1', 'a picture');
    });
    expect(text).toBe('a picture');
    await expect(client.request('jobs/get', { jobId: 'none' })).rejects.toThrow('unknown job');
    await expect(client.request('jobs/get', {})).rejects.toMatchObject({ code: -32602 });
  });

  it('lets an ordinary handler go on after the response, with its progress and questions', async () => {
    const own = jobs('develop');
    const server = new Server(INFO, { extensions: [own] });
    let goOn = () => {};
    const until = new Promise<void>(resolve => {
      goOn = resolve;
    });
    server.tool('develop', {}, async (_, ctx) => {
      await until;
      ctx.progress(1, { message: 'half' });
      const { action } = await ctx.elicit('Which paper?', z.object({ paper: z.string() }));
      return `a film, ${action}, ${ctx.signal.aborted}`;
    });
    const passed: string[] = [];
    server.use({
      name: 'observer',
      send: ({ method }, next) => {
        passed.push(method);
        next();
      },
      question: ({ question }, next) => {
        passed.push(question.method);
        return next();
      },
    });
    const { url } = await serve(server);
    const client = await connect(url, {
      revision,
      extensions: [jobsClient()],
      onElicit: () => ({ action: 'cancel' }),
    });
    onTestFinished(() => client.close());
    const started = await client.request('tools/call', { name: 'develop', arguments: {} });
    expect(started).toMatchObject({ resultType: 'job', status: 'working' });
    const heard: unknown[] = [];
    const changes = client.changes({ notices: { jobIds: [started.jobId as string] } }, { onReady: goOn });
    for await (const change of changes) {
      if (change.kind !== 'notice') continue;
      heard.push([change.params.message, change.params.text]);
      if (change.params.status === 'completed') break;
    }
    expect(heard).toEqual([
      ['half', undefined],
      [undefined, 'a film, decline, false'],
    ]);
    // What the handler sent, and the notices of the extension, each once.
    expect(passed.filter(method => method !== 'notifications/jobs')).toEqual([
      'notifications/progress',
      'elicitation/create',
    ]);
  });

  it('refuses to start a job for a client that could not follow it', async () => {
    const { client } = await open([]);
    const outcome = await client.callTool('render').catch((error: McpError) => error);
    if (!(outcome instanceof McpError)) return expect(outcome).toMatchObject({ isError: true });
    expect(outcome).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
  });

  it('refuses a filter that is malformed, on revisions with filters', async () => {
    const { client } = await open([jobsClient()]);
    const listening = client.changes({ notices: { jobIds: 'all' } })[Symbol.asyncIterator]();
    if (revision === '2026-07-28') await expect(listening.next()).rejects.toMatchObject({ code: -32602 });
    await listening.return?.();
  });
});

it('a client without the extension cannot listen to its notices', async () => {
  const { url } = await serve(new Server(INFO, { extensions: [jobs()] }));
  const body = {
    jsonrpc: '2.0',
    id: 7,
    method: 'subscriptions/listen',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: 'yes' } },
      },
      notifications: { jobIds: ['job-1'] },
    },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { extensions: { [TASKS]: {} } } } },
  });
});

describe('a server refuses', () => {
  const one = (parts: object): Extension => extension({ id: 'com.example/one', ...parts });
  const two = (parts: object): Extension => extension({ id: 'com.example/two', ...parts });
  const both = (what: string) => `the extensions "com.example/one" and "com.example/two" both claim ${what}`;
  const any = method(z.object({}), () => ({}));
  it.each<[string, () => Extension[], string]>([
    [
      'a malformed id',
      () => [extension({ id: 'search' })],
      'the extension "search" needs a name with a prefix',
    ],
    [
      'the same extension twice',
      () => [one({}), one({})],
      'the server has the extension "com.example/one" twice',
    ],
    [
      'a missing requirement',
      () => [one({ requires: ['com.example/two'] })],
      'the extension "com.example/one" needs the extension "com.example/two", which the server does not have',
    ],
    [
      'the same method',
      () => [one({ methods: { 'a/b': any } }), two({ methods: { 'a/b': any } })],
      both('the method "a/b"'),
    ],
    [
      'the same notification',
      () => [one({ sends: ['notifications/a'] }), two({ sends: ['notifications/a'] })],
      both('the notification "notifications/a"'),
    ],
    [
      'the same result type',
      () => [one({ resultTypes: ['job'] }), two({ resultTypes: ['job'] })],
      both('the result type "job"'),
    ],
    [
      'the same filter',
      () => [
        one({ notices: { ids: notice('notifications/a') } }),
        two({ notices: { ids: notice('notifications/b') } }),
      ],
      both('the filter "ids"'),
    ],
    [
      'a method of the protocol',
      () => [one({ methods: { 'tools/call': any } })],
      'the extension "com.example/one" claims the method "tools/call", which belongs to the protocol',
    ],
    [
      'a filter of the protocol',
      () => [one({ notices: { toolsListChanged: notice('notifications/a') } })],
      'the extension "com.example/one" claims the filter "toolsListChanged", which belongs to the protocol',
    ],
    [
      'an extension that is none',
      () => [{ id: 'com.example/one', settings: {} } as Extension],
      'extensions must be values of `extension({ … })` of tenon/extensions',
    ],
  ])('%s', (_, create, message) => {
    expect(() => new Server(INFO, { extensions: create() })).toThrow(message);
  });

  it('a handler of the author for a method of an extension', () => {
    const server = new Server(INFO, { extensions: [one({ methods: { 'a/b': any } })] });
    expect(() => server.method('a/b', () => ({}))).toThrow(
      '"a/b" belongs to the extension "com.example/one" of this server',
    );
  });
});

describe('a client refuses', () => {
  it.each<[string, ClientExtension[], string]>([
    ['a malformed id', [{ id: 'search' }], 'the extension "search" needs a name with a prefix'],
    [
      'the same method',
      [
        { id: 'com.example/one', requests: ['a/b'] },
        { id: 'com.example/two', requests: ['a/b'] },
      ],
      'the extensions "com.example/one" and "com.example/two" both claim the method "a/b"',
    ],
    [
      'a missing requirement',
      [{ id: 'com.example/one', requires: ['com.example/two'] }],
      'needs the extension "com.example/two", which the client does not have',
    ],
    [
      'settings that are no object',
      [{ id: 'com.example/one', settings: 5 as never }],
      'must be a JSON object',
    ],
  ])('%s', async (_, extensions, message) => {
    await expect(connect(new Server(INFO), { extensions })).rejects.toThrow(message);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a server that lies, on %s', revision => {
  it('about the type of a result is refused before it is sent', async () => {
    const reported: string[] = [];
    const onError = (error: unknown) => reported.push((error as Error).message);
    const server = new Server(INFO, { extensions: [extension({ id: TASKS })], onError });
    server.tool('render', {}, () => extensionResult('job', {}));
    const client = await connect(server, { revision, extensions: [jobsClient()] });
    onTestFinished(() => client.close());
    await expect(client.callTool('render')).rejects.toMatchObject({ code: -32603 });
    expect(reported).toEqual([expect.stringContaining('the result type "job" belongs to no extension')]);
  });

  it('about the shape of a result is refused by the client', async () => {
    const own = extension({ id: TASKS, resultTypes: ['job'] });
    const server = new Server(INFO, { extensions: [own] });
    server.tool('render', {}, () => extensionResult('job', { jobId: 5 }));
    const shaped = resultType(z.object({ jobId: z.string() }), () => ({ content: [] }));
    const client = await connect(server, {
      revision,
      extensions: [
        {
          id: TASKS,
          resultTypes: { job: shaped },
          notifications: { 'notifications/x': taken(z.any(), () => {}) },
        },
      ],
    });
    onTestFinished(() => client.close());
    await expect(client.callTool('render')).rejects.toThrow(
      'the result of tools/call, of type "job", is malformed',
    );
  });
});

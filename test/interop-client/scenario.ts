import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChangeFilter, Client, LogMessage, ServerChange } from '../../src/client/index.js';
import { ConnectionError, connect, RequestTimeout } from '../../src/node/client/index.js';
import { McpError } from '../../src/server/index.js';
import type { CallToolResult, ElicitFormParams, ElicitResult, Progress } from '../../src/vocabulary/index.js';
import type { Peer } from './servers/peer.js';
import {
  BOOKS,
  COVER,
  COVER_BYTES,
  FORM,
  NEWS,
  PAGE,
  QUESTION,
  RESOURCES,
  STEPS,
  TEMPLATE,
} from './servers/shelf.js';
import { until } from './until.js';

/** What is to be expected of one server. */
export interface Facts {
  /** The name that it has, and the revision that is found without options. */
  name: string;
  revision: string;
  /** What is sent until it is found, and with what was found the next time. */
  opening: readonly string[];
  reopening: readonly string[];
  /** What is sent when the client is closed. */
  closing: readonly string[];
  /** What the library does not have, and why. */
  lacks?: Partial<Record<Feature, string>>;
  /** How a tool is answered that is not there: most say so to the model. */
  unknownTool?: 'result' | 'error';
}

export type Feature = 'pages' | 'log levels' | 'cancellation' | 'roots' | 'roots at first';

/** Uses every feature of a bookshelf. All shelves are visited at once; the tests of one follow each other. */
export function describeShelf(name: string, facts: Facts, open: () => Promise<Peer>): void {
  describe.concurrent(name, () => {
    let peer: Peer;
    const visitor = createVisitor();
    beforeAll(async () => {
      peer = await open();
    });
    afterAll(async () => {
      await visitor.client?.close();
      await peer?.close();
    });

    describe.sequential('with somebody who only looks', () => opening(facts, () => peer));
    describe.sequential('with somebody who answers', () => {
      beforeAll(async () => {
        visitor.client = await connect(peer.target, visitor.options);
      });
      const client = () => visitor.client as Client;
      tools(facts, client);
      resources(facts, client);
      prompts(client);
      course(facts, client, visitor);
      questions(facts, client, visitor);
      changes(client);
      closing(facts, client, () => peer);
    });
  });
}

/** Somebody who uses a client, and answers what servers ask. */
function createVisitor() {
  const visitor = {
    client: undefined as Client | undefined,
    logs: [] as LogMessage[],
    forms: [] as ElicitFormParams[],
    fillIn: (): ElicitResult => ({ action: 'accept', content: { title: 'Emma' } }),
    options: {
      onLog: (message: LogMessage) => void visitor.logs.push(message),
      onElicit: (form: ElicitFormParams) => {
        visitor.forms.push(form);
        return visitor.fillIn();
      },
      onElicitUrl: ({ url }: { url: string }) => ({
        action: url === PAGE ? ('accept' as const) : ('decline' as const),
      }),
      onSample: () => ({
        role: 'assistant' as const,
        content: { type: 'text' as const, text: 'Dune' },
        model: 'reader-1',
      }),
      roots: [{ uri: 'file:///home/reader', name: 'home' }],
    },
  };
  return visitor;
}
type Visitor = ReturnType<typeof createVisitor>;

function opening(facts: Facts, peer: () => Peer): void {
  let remembered = '';
  test('is found, without options, in as few messages as possible', async () => {
    const client = await connect(peer().target);
    remembered = JSON.stringify(client.negotiated);
    expect(client.revision).toBe(facts.revision);
    expect(client.server.info).toMatchObject({ name: facts.name, version: '1.0.0' });
    expect(client.server.instructions).toBe('Read shelf://news first.');
    expect(client.server.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} });
    await client.ping();
    expect(await textOf(client.callTool('echo', { text: 'hello' }))).toBe('hello');
    await client.close();
    await until(async () => expect(await peer().holds()).toBe(false));
    expect(peer().sent().slice(0, facts.opening.length)).toEqual(facts.opening);
  });

  test('is spoken to without a probe by who remembers what it is', async () => {
    const before = peer().sent().length;
    const client = await connect(peer().target, { negotiated: JSON.parse(remembered) });
    expect(client.server.info?.name).toBe(facts.name);
    expect(await textOf(client.callTool('echo', { text: 'again' }))).toBe('again');
    expect(client.revision).toBe(facts.revision);
    await client.close();
    await until(async () => expect(await peer().holds()).toBe(false));
    // Over HTTP, a client of 2026-07-28 lists the tools before it calls one.
    const sent = peer().sent().slice(before);
    const opening = sent.slice(0, sent.indexOf('tools/call')).filter(method => method !== 'tools/list');
    expect(opening).toEqual(facts.reopening);
  });
}

function tools(facts: Facts, client: () => Client): void {
  test('lists tools with their schemas', async () => {
    const tools = await client().tools();
    const names = ['echo', 'count', 'fail', 'dust', 'wait', 'stopped', 'order', 'pay', 'advise', 'folders'];
    expect(tools.map(({ name }) => name)).toEqual([...names, 'publish', 'extend']);
    expect(tools[0]?.inputSchema).toMatchObject({ properties: { text: { type: 'string' } } });
    expect(tools[1]?.outputSchema).toMatchObject({ properties: { words: { type: 'number' } } });
  });

  test('calls a tool, and gets structured content that fits its schema', async () => {
    expect(await textOf(client().callTool('echo', { text: 'grüß dich 🦊' }))).toBe('grüß dich 🦊');
    const { structuredContent } = await client().callTool('count', { text: 'one two three' });
    expect(structuredContent).toEqual({ words: 3 });
  });

  test('gets the result of a tool that failed', async () => {
    const failed = await client().callTool('fail');
    expect(failed).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The shelf fell.' }] });
    expect(await refusalOf(client().callTool('echo', { text: 7 }))).toMatch(/text/);
  });

  test('hears that there is no such tool', async () => {
    const call = client().callTool('juggle');
    if (facts.unknownTool === 'error') await expect(call).rejects.toThrow(McpError);
    else expect((await call).isError).toBe(true);
  });
}

function resources(facts: Facts, client: () => Client): void {
  test('lists all resources, and the template', async () => {
    expect((await client().resources()).map(({ uri }) => uri)).toEqual(RESOURCES.map(({ uri }) => uri));
    const { resources, nextCursor } = await client().listResources();
    if (facts.lacks?.pages) expect(nextCursor).toBeUndefined();
    else expect([resources.length, typeof nextCursor]).toEqual([3, 'string']);
    const templates = await client().resourceTemplates();
    expect(templates).toMatchObject([{ name: 'book', uriTemplate: TEMPLATE }]);
  });

  test('reads a text, bytes, and a resource of the template', async () => {
    expect((await client().readResource(NEWS)).contents).toMatchObject([{ uri: NEWS, text: 'nothing new' }]);
    expect((await client().readResource(COVER)).contents).toMatchObject([{ uri: COVER, blob: COVER_BYTES }]);
    const { contents } = await client().readResource('shelf://books/Dune');
    expect(contents).toMatchObject([{ uri: 'shelf://books/Dune', text: 'It begins: Dune' }]);
    await expect(client().readResource('shelf://attic')).rejects.toThrow(McpError);
  });
}

function prompts(client: () => Client): void {
  test('lists and gets a prompt', async () => {
    expect(await client().prompts()).toMatchObject([
      { name: 'review', arguments: [{ name: 'title', required: true }] },
    ]);
    const { messages } = await client().getPrompt('review', { title: 'Emma' });
    const text = `Review Emma, one of ${BOOKS.length} books.`;
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text } }]);
    await expect(client().getPrompt('sing')).rejects.toThrow(McpError);
  });

  test('completes an argument of the prompt, and the variable of the template', async () => {
    const argument = { name: 'title', value: 'd' };
    const ofPrompt = await client().complete({ type: 'ref/prompt', name: 'review' }, argument);
    expect(ofPrompt.values).toEqual(['Dracula', 'Dune']);
    const ofTemplate = await client().complete({ type: 'ref/resource', uri: TEMPLATE }, argument);
    expect(ofTemplate.values).toEqual(['Dracula', 'Dune']);
  });
}

/** What happens while a call is under way. */
function course({ lacks }: Facts, client: () => Client, visitor: Visitor): void {
  test('hears of progress', async () => {
    const seen: Progress[] = [];
    await client().callTool('dust', {}, { onProgress: progress => void seen.push(progress) });
    const expected = STEPS.map((message, index) => ({ progress: index + 1, total: 3, message }));
    expect(seen).toEqual(expected);
  });

  test('hears log messages, from the level on that it wants', async () => {
    const levels = async (level: 'info' | 'debug') => {
      await client().setLogLevel(level);
      visitor.logs = [];
      await client().callTool('dust');
      await until(() => expect(JSON.stringify(visitor.logs.at(-1)?.data)).toContain('dusted'));
      return visitor.logs.map(log => log.level);
    };
    const all = ['debug', 'debug', 'debug', 'info'];
    expect(await levels('info')).toEqual(lacks?.['log levels'] ? all : ['info']);
    expect(await levels('debug')).toEqual(all);
  });

  const stopped = (id: string) =>
    until(async () =>
      expect(await textOf(client().callTool('stopped', { id }))).toBe(String(!lacks?.cancellation)),
    );

  test('cancels a call, of which the server hears', async () => {
    const cancel = new AbortController();
    const onProgress = () => cancel.abort(new Error('enough'));
    const id = crypto.randomUUID();
    const call = client().callTool('wait', { id }, { signal: cancel.signal, onProgress });
    await expect(call).rejects.toThrow('enough');
    await stopped(id);
  });

  test('gives up a call that takes too long, and tells the server', async () => {
    const id = crypto.randomUUID();
    await expect(client().callTool('wait', { id }, { timeoutMs: 250 })).rejects.toThrow(RequestTimeout);
    await stopped(id);
    await client().ping();
  });
}

function questions({ lacks }: Facts, client: () => Client, visitor: Visitor): void {
  test('fills in a form, with its defaults, or does not', async () => {
    expect(await textOf(client().callTool('order'))).toBe('1 of Emma');
    expect(visitor.forms).toMatchObject([
      { message: QUESTION, requestedSchema: { properties: { copies: FORM.properties.copies } } },
    ]);
    const { fillIn } = visitor;
    visitor.fillIn = () => ({ action: 'decline' });
    expect(await textOf(client().callTool('order'))).toBe('decline');
    visitor.fillIn = fillIn;
  });

  test('visits a page, and asks its model', async () => {
    expect(await textOf(client().callTool('pay'))).toBe('accept');
    expect(await textOf(client().callTool('advise'))).toBe('Dune');
  });

  test('tells its roots, and others later', async () => {
    const folders = () => textOf(client().callTool('folders'));
    if (lacks?.roots) return expect(folders()).rejects.toThrow(McpError);
    const first = lacks?.['roots at first'] ? '' : 'file:///home/reader';
    await until(async () => expect(await folders()).toBe(first));
    await client().setRoots([{ uri: 'file:///mnt/books' }]);
    await until(async () => expect(await folders()).toBe('file:///mnt/books'));
  });
}

function changes(client: () => Client): void {
  test('hears of changes for as long as it wants', async () => {
    const { heard, stop } = await listenTo(client(), { tools: true, resources: [NEWS] });
    await client().callTool('publish');
    await until(() => expect(heard).toEqual([{ kind: 'resource', uri: NEWS }]));
    await client().callTool('extend');
    await until(() => expect(heard).toEqual([{ kind: 'resource', uri: NEWS }, { kind: 'tools' }]));
    await stop();
  });
}

function closing(facts: Facts, client: () => Client, peer: () => Peer): void {
  test('ends what is under way, and leaves nothing behind', async () => {
    let isUnderWay = () => {};
    const underWay = new Promise<void>(resolve => {
      isUnderWay = resolve;
    });
    const listening = await listenTo(client(), { resources: [NEWS] });
    const call = client().callTool('wait', { id: 'last' }, { onProgress: isUnderWay });
    const ended = expect(call).rejects.toThrow(ConnectionError);
    await underWay;
    await client().close();
    await ended;
    await listening.over;
    await until(async () => expect(await peer().holds()).toBe(false));
    const sent = peer().sent();
    expect(sent.slice(sent.lastIndexOf('tools/call') + 1)).toEqual(facts.closing);
    await expect(client().ping()).rejects.toThrow('the client was closed');
    await client().close();
  });
}

/** Listens to changes. Resolves when the server has begun to tell. */
async function listenTo(client: Client, filter: ChangeFilter) {
  const heard: ServerChange[] = [];
  const controller = new AbortController();
  let onReady = () => {};
  const ready = new Promise<void>(resolve => {
    onReady = resolve;
  });
  const over = (async () => {
    const options = { signal: controller.signal, onReady };
    for await (const change of client.changes(filter, options)) heard.push(change);
  })();
  await Promise.race([ready, over]);
  const stop = () => {
    controller.abort();
    return over;
  };
  return { heard, over, stop };
}

async function textOf(call: Promise<CallToolResult>): Promise<string> {
  const { content } = await call;
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** What is said to a call that is refused, whichever way. */
async function refusalOf(call: Promise<CallToolResult>): Promise<string> {
  const result = await call.catch((error: Error) => error);
  if (result instanceof Error) return result.message;
  expect(result.isError).toBe(true);
  return textOf(call);
}

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { logging, rateLimit, redaction, responseCache, retry } from '../../src/middleware/index.js';
import { listen, nodeHandler } from '../../src/node/index.js';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { jwt, protect } from '../../src/server/auth/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { inputRequired, Server, UsageError } from '../../src/server/index.js';
import { tasks } from '../../src/server/tasks/index.js';
import { eachRevision } from '../../src/testing/index.js';
import { parseTemplate } from '../../src/vocabulary/index.js';
import { connectRaw } from '../raw-client.js';

// What newcomers write, in JavaScript: nothing here is seen by the compiler.
type Untyped = any;

const INFO = { name: 'bistro', version: '1.0.0' };
const handler = () => 'hello';
const create = (): Untyped => new Server(INFO, { onError: () => {} });
const OLD_ZOD = { '~standard': { version: 1, vendor: 'zod', validate: (value: unknown) => ({ value }) } };
const OLD_ARKTYPE = { '~standard': { ...OLD_ZOD['~standard'], vendor: 'arktype' } };
class ZodObject {}

const MISTAKES: [mistake: string, make: () => unknown, message: string][] = [
  // Making a server
  [
    'a server without a version',
    () => new (Server as Untyped)({ name: 'bistro' }),
    'a server needs a name and a version: new Server({ name: "bistro", version: "1.0.0" })',
  ],
  [
    'an option of a server beside its name',
    () => new Server({ ...INFO, instructions: 'Reserve first.' } as Untyped),
    '"instructions" goes into the second argument: new Server({ name, version }, { instructions })',
  ],
  [
    'an unknown option of a server',
    () => new Server(INFO, { instruction: 'Reserve first.' } as Untyped),
    'a server has no option "instruction"; did you mean "instructions"?',
  ],
  [
    'a page size of nothing',
    () => new Server(INFO, { pageSize: 0 }),
    'pageSize must be a whole number, 1 or more, but is 0',
  ],
  [
    'an impossible cache hint',
    () => new Server(INFO, { cacheHints: { default: { ttlMs: -1, cacheScope: 'public' } } }),
    'ttlMs must be a finite number of milliseconds, 0 or more, but is -1',
  ],
  [
    'a title of a server that is no text',
    () => new Server({ ...INFO, title: 5 } as Untyped),
    'the title of a server must be a text, not 5',
  ],
  [
    'instructions that are no text',
    () => new Server(INFO, { instructions: 7 } as Untyped),
    'the instructions of a server must be a text, not 7',
  ],
  [
    'a capability that is a text',
    () => new Server(INFO, { capabilities: { tools: 'yes' } } as Untyped),
    'the capability "tools" must be an object, not "yes"',
  ],
  [
    'a part of a capability that is a text',
    () => new Server(INFO, { capabilities: { tools: { listChanged: 'yes' } } } as Untyped),
    'the listChanged of the capability "tools" must be true or false, not "yes"',
  ],

  [
    'a misspelled member of what a server is called',
    () => new Server({ ...INFO, titel: 'Bistro' } as Untyped),
    'a server has a member "titel"; did you mean "title"?',
  ],

  // Tools
  [
    'a misspelled hint',
    () => create().tool('greet', { annotations: { readonlyHint: true } }, handler),
    'tool "greet" has a member "readonlyHint"; did you mean "readOnlyHint"?',
  ],
  [
    'annotations of a tool that are a text',
    () => create().tool('greet', { annotations: 'read-only' }, handler),
    'the annotations of tool "greet" must be an object, not "read-only"',
  ],
  [
    'a hint of a tool that is a text',
    () => create().tool('greet', { annotations: { readOnlyHint: 'yes' } }, handler),
    'the readOnlyHint of the annotations of tool "greet" must be true or false, not "yes"',
  ],
  [
    'a title among the annotations that is a number',
    () => create().tool('greet', { annotations: { title: 5 } }, handler),
    'the title of the annotations of tool "greet" must be a text, not 5',
  ],
  [
    'a tool without a name',
    () => create().tool('', {}, handler),
    'a tool needs a name: server.tool("name", { … }, handler)',
  ],
  [
    'a tool without a handler',
    () => create().tool('greet', { description: 'Greets' }),
    'tool "greet" needs a handler: server.tool("greet", { … }, handler)',
  ],
  [
    'a tool whose handler comes second',
    () => create().tool('greet', handler),
    'tool "greet" needs an object of options: server.tool("greet", { … }, handler)',
  ],
  [
    'a tool whose description comes second',
    () => create().tool('greet', 'Greets', {}, handler),
    'tool "greet" needs an object of options: server.tool("greet", { … }, handler)',
  ],
  [
    'an unknown option of a tool',
    () => create().tool('greet', { descripton: 'Greets' }, handler),
    'tool "greet" has no option "descripton"; did you mean "description"?',
  ],
  [
    'the name that another SDK has for an option',
    () => create().tool('greet', { inputSchema: z.object({}) }, handler),
    'tool "greet" has no option "inputSchema"; did you mean "input"?',
  ],
  [
    'an option that is like no other',
    () => create().prompt('greet', { zzz: 1 }, handler),
    'prompt "greet" has no option "zzz"; it has title, description, input, complete, icons, meta, scopes, ' +
      'authorize, hidden',
  ],
  [
    'a description that is no text',
    () => create().tool('greet', { description: 5 }, handler),
    'the description of tool "greet" must be a text, not 5',
  ],
  [
    'a raw shape of zod',
    () => create().tool('greet', { input: { name: z.string() } }, handler),
    'the input of tool "greet" is an object of schemas; wrap it: z.object({ … })',
  ],
  [
    'a schema that is none',
    () => create().tool('greet', { input: 'string' }, handler),
    'the input of tool "greet" must be a Standard Schema or a JSON Schema object',
  ],
  [
    'a schema of a library that is no Standard Schema',
    () => create().tool('greet', { input: new ZodObject() }, handler),
    'the input of tool "greet" must be a Standard Schema or a JSON Schema object',
  ],
  [
    'a version of zod without JSON Schema',
    () => create().tool('greet', { input: OLD_ZOD }, handler),
    'the input of tool "greet": this zod schema does not provide its JSON Schema; use zod 4.2 or newer',
  ],
  [
    'a version of arktype without JSON Schema',
    () => create().tool('greet', { output: OLD_ARKTYPE }, handler),
    'the output of tool "greet": this arktype schema does not provide its JSON Schema; use arktype 2.1.28 or newer',
  ],
  [
    'valibot without its converter',
    () => create().tool('greet', { input: v.object({ name: v.string() }) }, handler),
    'the input of tool "greet": this valibot schema does not provide its JSON Schema; ' +
      'wrap it with toStandardJsonSchema() from @valibot/to-json-schema 1.5 or newer',
  ],
  [
    'a field that JSON has no value for',
    () => create().tool('greet', { input: z.object({ party: z.object({ day: z.date() }) }) }, handler),
    'the field "day" in the field "party" in the input of tool "greet" has no JSON Schema: ' +
      'Date cannot be represented in JSON Schema',
  ],
  [
    'an input that is no object',
    () => create().tool('greet', { input: z.string() }, handler),
    'the input of tool "greet" must be an object schema, not "string"',
  ],
  [
    'a name that is taken',
    () => {
      const server = create();
      server.tool('greet', {}, handler);
      server.tool('greet', {}, handler);
    },
    'tool "greet" is already registered; use the handle\'s replace() or remove() first',
  ],
  [
    'a key in meta that the protocol has reserved',
    () => create().tool('greet', { meta: { 'io.modelcontextprotocol/greeting': 1 } }, handler),
    'the key "io.modelcontextprotocol/greeting" in the meta of tool "greet" belongs to the protocol; ' +
      'use your own: com.example/table',
  ],
  [
    'a malformed key in meta',
    () => create().resource('menu://today', { meta: { 'com..example/x': 1 } }, handler),
    'the key "com..example/x" in the meta of resource "menu://today" is malformed; use your own: com.example/table',
  ],
  [
    'scopes that are no list',
    () => create().tool('greet', { scopes: 'greet' }, handler),
    'the scopes of tool "greet" must be a list: ["menu:write"]',
  ],
  [
    'something hidden from nobody',
    () => create().tool('greet', { hidden: 'unless-allowed' }, handler),
    'tool "greet" is hidden, but open to every caller: add scopes or authorize',
  ],
  [
    'something hidden by a flag',
    () => create().tool('greet', { hidden: true, scopes: ['greet'] }, handler),
    'hidden of tool "greet" must be "unless-allowed"',
  ],

  // Resources and prompts
  [
    'a resource that is no URI',
    () => create().resource('menu', {}, handler),
    '"menu" is not a URI; a resource needs one such as menu://today',
  ],
  [
    'a resource without a handler',
    () => create().resource('menu://today', {}),
    'resource "menu://today" needs a handler: server.resource("menu://today", { … }, handler)',
  ],
  [
    'the old name of an option of a resource',
    () => create().resource('menu://today', { cache: { ttlMs: 1, cacheScope: 'public' } }, handler),
    'resource "menu://today" has no option "cache"; did you mean "cacheHint"?',
  ],
  [
    'a prompt without a handler',
    () => create().prompt('advise', {}),
    'prompt "advise" needs a handler: server.prompt("advise", { … }, handler)',
  ],
  [
    'a number as the argument of a prompt',
    () => create().prompt('advise', { input: z.object({ guests: z.number() }) }, handler),
    'the argument "guests" of prompt "advise" is a number, but arguments of prompts are strings; ' +
      'convert it: z.coerce.number()',
  ],
  [
    'arguments of a prompt that are no object',
    () => create().prompt('advise', { input: z.string() }, handler),
    'the input of prompt "advise" must be an object of strings',
  ],

  [
    'completers of a resource for what is no variable',
    () => create().resource('menu://{day}', { complete: { dya: () => [] } }, handler),
    'complete of resource "menu://{day}" has no option "dya"; did you mean "day"?',
  ],
  [
    'completers of a prompt for what is no argument',
    () =>
      create().prompt('advise', { input: z.object({ day: z.string() }), complete: { hour: [] } }, handler),
    'complete of prompt "advise" has no option "hour"; it has day',
  ],
  [
    'a completer that is a text',
    () => create().resource('menu://{day}', { complete: { day: 'Monday' } }, handler),
    'day of complete of resource "menu://{day}" must be a list of texts or a function',
  ],
  [
    'one completer for everything',
    () => create().resource('menu://{day}', { complete: () => [] }, handler),
    'the options of complete of resource "menu://{day}" must be an object',
  ],

  // Methods and middleware
  [
    'an unknown option of logging',
    () => logging({ lvel: 'debug' } as Untyped),
    'logging has no option "lvel"; it has write',
  ],
  [
    'an unknown option of retry',
    () => retry({ attempt: 3 } as Untyped),
    'retry has no option "attempt"; did you mean "attempts"?',
  ],
  [
    'a rate limit without options',
    () => (rateLimit as Untyped)(),
    'the options of rateLimit must be an object',
  ],
  [
    'a pattern instead of a list',
    () => redaction({ patterns: /secret/g } as Untyped),
    'patterns of redaction must be a list, not an object',
  ],
  [
    'no tools to cache',
    () => responseCache({ ttlMs: 5, tools: 'weather' } as Untyped),
    'tools of responseCache must be a list, not a text',
  ],
  [
    'a method of the protocol',
    () => create().method('tools/list', handler),
    'the method "tools/list" belongs to the protocol; give yours a prefix: "acme/search"',
  ],
  [
    'a method without a handler',
    () => create().method('acme/search'),
    'the handler of the method "acme/search" must be a function',
  ],
  [
    'middleware that is no function',
    () => create().use({}),
    'middleware must be a function, or an object with request, question, receive, send',
  ],

  // Doors
  [
    'listening without a server',
    () => listen({ port: 0 } as Untyped),
    'listen needs a Server as its first argument: listen(server, { … })',
  ],
  [
    'an unknown option of listen',
    () => listen(create(), { prot: 3000 } as Untyped),
    'listen has no option "prot"; did you mean "port"?',
  ],
  [
    'a port that is a text',
    () => listen(create(), { port: '3000' } as Untyped),
    'port must be a number from 0 to 65535, not 3000',
  ],
  [
    'a host that is a number',
    () => listen(create(), { port: 0, host: 5 } as Untyped),
    'host of listen must be a text, not 5',
  ],
  [
    'one host instead of a list',
    () => listen(create(), { port: 0, allowedHosts: 'mcp.example' } as Untyped),
    'allowedHosts of listen must be a list, not a text',
  ],
  [
    'a host with its scheme',
    () => listen(create(), { port: 0, allowedHosts: ['https://mcp.example'] }),
    'allowedHosts has "https://mcp.example", but it is a list of hosts without scheme or port: "mcp.example.com"',
  ],
  [
    'a host from a variable that is not set',
    () => listen(create(), { port: 0, allowedHosts: [undefined] } as Untyped),
    'allowedHosts has undefined, but it is a list of hosts without scheme or port: "mcp.example.com"',
  ],
  [
    'an origin without its scheme',
    () => listen(create(), { port: 0, allowedOrigins: ['app.example'] }),
    'allowedOrigins has "app.example", but it is a list of origins: "https://app.example.com"',
  ],
  [
    'a size with a unit',
    () => fetchHandler(create(), { maxBodyBytes: '1mb' } as Untyped),
    'maxBodyBytes of fetchHandler must be a number, 0 or more, not "1mb"',
  ],
  [
    'a time before now',
    () => fetchHandler(create(), { heartbeatMs: -5 }),
    'heartbeatMs of fetchHandler must be a number, 0 or more, not -5',
  ],
  [
    'an authentication that is no function',
    () => fetchHandler(create(), { authenticate: 'secret' } as Untyped),
    'authenticate of fetchHandler must be a function, not a text',
  ],
  [
    'protection without authorization servers',
    () => protect({ verify: () => undefined } as Untyped),
    'authorizationServers must name at least one issuer',
  ],
  [
    'protection that verifies nothing',
    () => protect({ authorizationServers: ['https://login.example'], verify: 5 } as Untyped),
    'protect needs verify: jwt({ … }), introspection({ … }), or a function',
  ],
  [
    'one audience instead of a list',
    () => jwt({ issuer: 'https://login.example', audiences: 'bistro' } as Untyped),
    'audiences of jwt must be a list, not a text',
  ],
  [
    'the name of an engine of tasks',
    () => tasks({ engine: 'bullmq' } as Untyped),
    'engine of tasks must be an object, not a text',
  ],
  [
    'questions by hand without any',
    () => (inputRequired as Untyped)(),
    'inputRequired needs `requests`, `state`, or both',
  ],
  ['no template', () => (parseTemplate as Untyped)(), 'parseTemplate needs a text, such as "menu://{day}"'],
  [
    'a test of all revisions without a test',
    () => (eachRevision as Untyped)('greets', () => {}),
    'eachRevision needs a test function, a name and a function: eachRevision(test, "greets", async connect => { … })',
  ],
  [
    'a path without a slash',
    () => listen(create(), { port: 0, path: 'mcp' }),
    'path must begin with a slash, as in "/mcp", not "mcp"',
  ],
  [
    'one key instead of a list',
    () => listen(create(), { port: 0, keys: 'secret' as Untyped }),
    'keys must be a list of secrets, each a text or a Uint8Array: keys: [secret]',
  ],
  [
    'a key from a variable that is not set',
    () => fetchHandler(create(), { keys: [undefined] as Untyped }),
    'keys must be a list of secrets, each a text or a Uint8Array: keys: [secret]',
  ],
  [
    'a key that is too short',
    () => fetchHandler(create(), { keys: ['secret'] }),
    'a key must have at least 32 bytes, this one has 6; make one with: ' +
      'node -p "crypto.randomBytes(32).toString(\'base64\')"',
  ],
  [
    'the options of protect instead of what it returns',
    () => fetchHandler(create(), { auth: { issuer: 'https://login.example' } as Untyped }),
    'auth must be the result of protect({ … }) from tenon/auth',
  ],
  [
    'an unknown option of the fetch handler',
    () => fetchHandler(create(), { allowedHost: ['mcp.example'] } as Untyped),
    'fetchHandler has no option "allowedHost"; did you mean "allowedHosts"?',
  ],
  [
    'an unknown option of the node handler',
    () => nodeHandler(create(), { path: '/mcp' } as Untyped),
    'nodeHandler has no option "path"; it has keys, cluster, work, singleUse, revisions, maxBodyBytes, maxHeldBytes, heartbeatMs, sse, auth, ' +
      'authenticate, allowedHosts, allowedOrigins, proxies',
  ],
  [
    'an unknown option of stdio',
    () => serveStdio(create(), { stdin: process.stdin } as Untyped),
    'serveStdio has no option "stdin"; it has input, output, keys, cluster, singleUse, revisions, maxLineBytes, maxHeldBytes, graceMs',
  ],
];

describe('a mistake of a newcomer', () => {
  // covers: 2025-11-25/tools/name-length, 2026-07-28/tools/name-length
  it.each(MISTAKES)('is named: %s', async (_, make, message) => {
    const thrown = await Promise.resolve()
      .then(make)
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(UsageError);
    expect((thrown as UsageError).message).toBe(message);
  });

  it('leaves nothing behind', async () => {
    const server = create();
    expect(() => server.tool('greet', {})).toThrow(UsageError);
    server.tool('greet', {}, handler);
  });
});

describe('a handler in JavaScript', () => {
  const reportedBy = async (tool: Untyped) => {
    const reported: unknown[] = [];
    const server = new Server(INFO, { onError: error => reported.push(error) });
    server.tool('reserve', {}, tool);
    const client = await connectRaw(server);
    expect(await client.request('tools/call', { name: 'reserve' })).toMatchObject({ isError: true });
    return reported;
  };

  it('that returns a value which JSON cannot carry is told so', async () => {
    expect(await reportedBy(() => ({ seats: 5n }))).toEqual([
      new UsageError('a value cannot be written as JSON: Do not know how to serialize a BigInt'),
    ]);
  });

  it.each<[string, (ctx: Untyped) => unknown]>([
    ['without its work', ctx => ctx.step('hold')],
    ['without its name', ctx => ctx.step(() => 1)],
  ])('that takes a step %s is told what a step needs', async (_, step) => {
    expect(await reportedBy((_: unknown, ctx: Untyped) => step(ctx))).toEqual([
      new UsageError('a step needs a name and a function: ctx.step("hold", () => hold(table))'),
    ]);
  });
});

describe('a name of a tool that the specification discourages', () => {
  const register = (name: string) => {
    const reported: unknown[] = [];
    const server = new Server(INFO, { onWarning: (warning, where) => reported.push([where, warning]) });
    server.tool(name, {}, handler);
    return { server, reported };
  };

  // covers: 2025-11-25/tools/name-characters, 2025-11-25/tools/name-has-no-special-characters
  // covers: 2025-11-25/tools/name-length, 2026-07-28/tools/name-characters
  // covers: 2026-07-28/tools/name-has-no-special-characters, 2026-07-28/tools/name-length
  it.each(['reserve a table', 'réserver', 'a,b', 'x'.repeat(129)])('is reported: %s', async name => {
    const { server, reported } = register(name);
    const problem = `clients may refuse the name "${name}": use up to 128 letters, digits, "_", "-" and "."`;
    await expect.poll(() => reported).toEqual([[`tool "${name}"`, problem]]);
    const client = await connectRaw(server);
    expect(await client.request('tools/call', { name })).toMatchObject({ content: [{ text: 'hello' }] });
  });

  it.each(['getUser', 'DATA_EXPORT_v2', 'admin.tools-list', 'x'.repeat(128)])('is not %s', async name => {
    const { reported } = register(name);
    await new Promise(resolve => setImmediate(resolve));
    expect(reported).toEqual([]);
  });
});

describe('a question that was not awaited', () => {
  const form = z.object({ guests: z.number() });
  const accepted = { action: 'accept', content: { guests: 2 } };

  async function call(revision: string, tool: Untyped) {
    const reported: string[] = [];
    const server = new Server(INFO, { onError: (error, where) => reported.push(`${where}: ${error}`) });
    server.tool('reserve', {}, tool);
    const client = await connectRaw(server, {
      revision,
      capabilities: { elicitation: {} },
      answers: { 'elicitation/create': () => accepted },
    });
    await client.request('tools/call', { name: 'reserve' });
    return reported;
  }

  it.each(['2025-11-25', '2026-07-28'])('is reported with its tool on %s', async revision => {
    const reported = await call(revision, (_: unknown, ctx: Untyped) => {
      ctx.elicit('How many guests?', form);
      return 'reserved';
    });
    expect(reported).toEqual([
      'tool "reserve": UsageError: tool "reserve" returned before its question "How many guests?" was answered; ' +
        'await the answer',
    ]);
  });

  it('is not one whose answer has come', async () => {
    const reported = await call('2025-11-25', async (_: unknown, ctx: Untyped) => {
      const [first] = await Promise.all([ctx.elicit('How many?', form), ctx.elicit('How old?', form)]);
      return first.action;
    });
    expect(reported).toEqual([]);
  });
});

describe('a question to the model', () => {
  // covers: 2026-07-28/sampling/messages-have-role-and-content
  it.each<object>([
    { role: 'system', content: { type: 'text', text: 'x' } },
    { content: { type: 'text', text: 'x' } },
    { role: 'user' },
  ])('is not asked with the message %j', async message => {
    const errors: unknown[] = [];
    const server = new Server(INFO, { onError: error => errors.push(error) });
    server.tool('ask', {}, async (_args, ctx) =>
      JSON.stringify(await ctx.sample({ messages: [message as Untyped], maxTokens: 1 })),
    );
    const client = await connectRaw(server, { capabilities: { sampling: {} } });
    expect(await client.request('tools/call', { name: 'ask' })).toMatchObject({ isError: true });
    expect(errors).toEqual([
      new UsageError(
        'the model cannot be asked: the messages must be a list of objects with the role "user" or "assistant" and content',
      ),
    ]);
  });
});

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listen, nodeHandler } from '../../src/node/index.js';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server, UsageError } from '../../src/server/index.js';
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

  // Tools
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

  // Methods and middleware
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

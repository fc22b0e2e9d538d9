import type { CallToolResult, ContentBlock, Progress } from 'tenon/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../interop-client/until.js';
import type { Host } from './host.js';
import type { Knowledge } from './revisions.js';

/**
 * Uses every feature of the bistro through a host, and expects of each what the revision knows. Each host has
 * a bistro of its own, so all of them run at once; the tests of one follow each other.
 */
export function describeBistro(name: string, know: Knowledge, connect: () => Promise<Host>): void {
  describe.concurrent(name, () => {
    let host: Host;
    beforeAll(async () => {
      host = await connect();
    });
    afterAll(() => host?.close());

    const topics: Record<string, Topic> = {
      'at the opening': opening,
      'in its lists': lists,
      'as tools': tools,
      'as errors': errors,
      'as resources': resources,
      'as prompts': prompts,
      'while a call is under way': course,
      'when something changes': changes,
      'as questions': questions,
    };
    for (const [topic, describeTopic] of Object.entries(topics)) {
      describe.sequential(topic, () => describeTopic(() => host, know));
    }
  });
}

type Topic = (host: () => Host, know: Knowledge) => void;

function opening(host: () => Host, know: Knowledge): void {
  test('agrees on the revision', () => {
    expect(host().revision).toBe(know.revision);
  });

  test('introduces itself', () => {
    const { server, instructions } = host();
    expect(server).toMatchObject({ name: 'bistro', version: '1.0.0' });
    expect(server.title).toBe(know.titles ? 'Chez Tenon' : undefined);
    expect(server.icons?.length).toBe(know.icons ? 1 : undefined);
    expect(instructions).toContain('menu://{day}');
  });

  test('declares what it offers', () => {
    expect(host().capabilities).toMatchObject({
      logging: {},
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
    });
    expect('completions' in host().capabilities).toBe(know.revision !== '2024-11-05');
  });

  testWhere(know.era === 'legacy', 'answers a ping', async () => {
    await expect(host().ping()).resolves.toEqual({});
  });

  test('hears that revision with every request, where there are headers', async () => {
    await host().listPrompts();
    const { versionHeader } = host();
    if (versionHeader) expect(versionHeader()).toBe(know.revision);
  });
}

function lists(host: () => Host, know: Knowledge): void {
  test('lists tools with their schemas, and with titles, hints and icons where they are known', async () => {
    const tools = await host().listTools();
    expect(tools.map(tool => tool.name)).toEqual([
      'cook',
      'ring_bell',
      'show_menu',
      'show_dish',
      'list_specials',
      'add_dish',
      'list_tables',
      'reserve',
      'book_party',
      'recommend_wine',
      'find_cookbooks',
    ]);
    const reserve = tools.find(tool => tool.name === 'reserve');
    expect(reserve?.inputSchema).toMatchObject({
      type: 'object',
      properties: { table: { type: 'string' }, guests: { type: 'integer', minimum: 1 } },
      required: ['table', 'guests', 'name'],
    });
    expect(reserve?.title).toBe(know.titles ? 'Reserve a table' : undefined);
    expect(reserve?.annotations?.destructiveHint).toBe(know.annotations ? false : undefined);
    expect(reserve?.icons?.length).toBe(know.icons ? 1 : undefined);
    expect(reserve?.outputSchema?.type).toBe(know.structured === 'none' ? undefined : 'object');
    const specials = tools.find(tool => tool.name === 'list_specials');
    expect(specials?.outputSchema?.type).toBe(know.structured === 'any' ? 'array' : undefined);
  });

  test('lists resources', async () => {
    const resources = await host().listResources();
    expect(resources.map(({ uri, name, mimeType }) => [uri, name, mimeType])).toEqual([
      ['bistro://orders', 'orders', 'application/json'],
      ['bistro://house-rules', 'house-rules', 'text/markdown'],
      ['bistro://sign.png', 'sign', 'image/png'],
    ]);
    const rules = resources[1];
    expect(rules?.annotations).toEqual({ audience: ['user', 'assistant'], priority: 0.8 });
    expect(rules?.title).toBe(know.titles ? 'House rules' : undefined);
    expect(rules?.icons?.length).toBe(know.icons ? 1 : undefined);
  });

  test('lists resource templates', async () => {
    const [menu, ...others] = await host().listTemplates();
    expect(others).toEqual([]);
    expect(menu).toMatchObject({ uriTemplate: 'menu://{day}', name: 'menu', mimeType: 'text/markdown' });
    expect(menu?.title).toBe(know.titles ? 'Menu of the day' : undefined);
    expect(menu?.icons?.length).toBe(know.icons ? 1 : undefined);
  });

  test('lists prompts with their arguments', async () => {
    const prompts = await host().listPrompts();
    expect(prompts.map(prompt => prompt.name)).toEqual(['plan_dinner', 'describe_dish', 'greet']);
    const [dinner] = prompts;
    expect(dinner?.arguments?.map(({ name, required = false }) => [name, required])).toEqual([
      ['day', true],
      ['dish', true],
      ['guests', false],
    ]);
    expect(dinner?.title).toBe(know.titles ? 'Plan a dinner' : undefined);
    expect(dinner?.icons?.length).toBe(know.icons ? 1 : undefined);
  });
}

function tools(host: () => Host, know: Knowledge): void {
  test('returns structured content where it is known, and the same as text everywhere', async () => {
    const result = await host().callTool('list_tables', { seats: 3 });
    const expected = {
      tables: [
        { id: 'fireplace', seats: 4, free: true },
        { id: 'terrace', seats: 8, free: true },
      ],
    };
    expect(JSON.parse(textOf(result))).toEqual(expected);
    expect(result.structuredContent).toEqual(know.structured === 'none' ? undefined : expected);
  });

  test('returns structured content that is no object only where that is known', async () => {
    const result = await host().callTool('list_specials');
    expect(JSON.parse(textOf(result))).toEqual(['bouillabaisse']);
    expect(result.structuredContent).toEqual(know.structured === 'any' ? ['bouillabaisse'] : undefined);
  });

  test('keeps what a call has changed', async () => {
    const booked = await host().callTool('reserve', { table: 'window', guests: 2, name: 'Ada' });
    expect(booked.isError).toBeFalsy();
    expect(textOf(booked)).toContain('Ada, party of 2, at the window table');
    const again = await host().callTool('reserve', { table: 'window', guests: 2, name: 'Bob' });
    expect(again).toMatchObject({ isError: true, content: [{ text: 'The window table is taken tonight.' }] });
  });

  test('returns a picture', async () => {
    const { content } = await host().callTool('show_dish', { dish: 'quiche' });
    expect(content[0]).toMatchObject({ type: 'text', text: 'quiche' });
    expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
    expect(bytesOf(content[1]).subarray(0, 8)).toEqual(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  });

  test('returns a sound, or says that there was one', async () => {
    const { content } = await host().callTool('ring_bell');
    if (know.audio) {
      expect(content).toMatchObject([{ type: 'audio', mimeType: 'audio/wav' }]);
      expect(bytesOf(content[0]).subarray(0, 4).toString()).toBe('RIFF');
    } else {
      expect(content).toMatchObject([{ type: 'text', text: expect.stringContaining('audio/wav') }]);
    }
  });

  test('returns an embedded resource and a link to another, or its URI as text', async () => {
    const { content } = await host().callTool('show_menu', { day: 'sunday' });
    expect(content[0]).toMatchObject({
      type: 'resource',
      resource: {
        uri: 'menu://sunday',
        mimeType: 'text/markdown',
        text: expect.stringContaining('- quiche'),
      },
    });
    expect(content[1]).toMatchObject(
      know.links
        ? { type: 'resource_link', uri: 'menu://monday', name: 'menu-monday', title: 'Menu of monday' }
        : { type: 'text', text: 'Menu of monday: menu://monday' },
    );
  });
}

function errors(host: () => Host, know: Knowledge): void {
  test('tells of arguments that do not fit', async () => {
    const call = host().callTool('reserve', { table: 'window', guests: 'two', name: 'Ada' });
    if (know.badArguments === 'error') {
      await expect(call).rejects.toMatchObject({ code: -32602, message: expect.stringContaining('guests') });
    } else {
      const result = await call;
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^invalid arguments for tool "reserve": guests/);
    }
  });

  test('tells the model of a failure that it can act on', async () => {
    const result = await host().callTool('cook', { dish: 'pizza' });
    expect(result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: '"pizza" is on no menu. Read menu://{day} to see what is.' }],
    });
  });

  test('refuses a tool, a prompt and a resource that it does not have', async () => {
    const { heard } = host();
    heard.errors = [];
    await expect(host().callTool('juggle')).rejects.toThrow('unknown tool: juggle');
    await expect(host().getPrompt('juggle')).rejects.toThrow('unknown prompt: juggle');
    await expect(host().readResource('bistro://cellar')).rejects.toThrow('not found: bistro://cellar');
    await expect(host().readResource('menu://someday')).rejects.toThrow('not found: menu://someday');
    expect(heard.errors).toEqual([-32602, -32602, know.resourceNotFound, know.resourceNotFound]);
  });

  test('refuses a prompt with arguments that do not fit', async () => {
    const message = expect.stringContaining('dish: is on no menu');
    await expect(host().getPrompt('describe_dish', { dish: 'pizza' })).rejects.toMatchObject({
      code: -32602,
      message,
    });
    await expect(host().getPrompt('plan_dinner', {})).rejects.toMatchObject({ code: -32602 });
  });
}

function resources(host: () => Host): void {
  test('serves a text', async () => {
    expect(await host().readResource('bistro://house-rules')).toMatchObject([
      {
        uri: 'bistro://house-rules',
        mimeType: 'text/markdown',
        text: expect.stringContaining('Dogs are welcome'),
      },
    ]);
  });

  test('serves bytes', async () => {
    const [sign] = await host().readResource('bistro://sign.png');
    expect(sign).toMatchObject({ uri: 'bistro://sign.png', mimeType: 'image/png' });
    const bytes = Buffer.from((sign as { blob: string }).blob, 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  test('serves every resource of a template', async () => {
    expect(await host().readResource('menu://friday')).toMatchObject([
      { uri: 'menu://friday', text: '# friday\n\n- onion soup\n- ratatouille\n- bouillabaisse\n' },
    ]);
  });

  test('completes the variable of a template', async () => {
    const ref = { type: 'ref/resource' as const, uri: 'menu://{day}' };
    const { values } = await host().complete({ ref, argument: { name: 'day', value: 's' } });
    expect(values).toEqual(['saturday', 'sunday']);
  });
}

function prompts(host: () => Host, know: Knowledge): void {
  test('gives a prompt without arguments', async () => {
    const { messages } = await host().getPrompt('greet');
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/^Greet/) } },
    ]);
  });

  test('gives a prompt with a resource in it', async () => {
    const { description, messages } = await host().getPrompt('plan_dinner', { day: 'sunday', dish: 'crepe' });
    expect(description).toBe('A dinner around one dish of a day');
    expect(messages).toMatchObject([
      { role: 'user', content: { type: 'resource', resource: { uri: 'menu://sunday' } } },
      { role: 'user', content: { text: 'Plan a dinner for two guests on sunday, around the crepe.' } },
    ]);
  });

  test('gives a prompt with a picture, in which the assistant speaks too', async () => {
    const { messages } = await host().getPrompt('describe_dish', { dish: 'quiche' });
    expect(messages.map(({ role, content }) => [role, content.type])).toEqual([
      ['user', 'image'],
      ['user', 'text'],
      ['assistant', 'text'],
    ]);
  });

  test('completes an argument in the light of those already chosen', async () => {
    const ref = { type: 'ref/prompt' as const, name: 'plan_dinner' };
    const argument = { name: 'dish', value: '' };
    const anyDay = await host().complete({ ref, argument });
    expect(anyDay.values).toEqual(['onion soup', 'ratatouille', 'bouillabaisse', 'quiche', 'crepe']);
    const sunday = await host().complete({ ref, argument, context: { arguments: { day: 'sunday' } } });
    // Where the revision has no context, some clients leave it out.
    if (!know.completionContext && sunday.total === anyDay.total) return expect(sunday).toEqual(anyDay);
    expect(sunday).toMatchObject({ values: ['quiche', 'ratatouille', 'crepe'], total: 3, hasMore: false });
  });
}

/** What happens while a call is under way. */
function course(host: () => Host, know: Knowledge): void {
  test('reports progress', async () => {
    const { heard } = host();
    heard.progress = [];
    const seen: Progress[] = [];
    const onProgress = (progress: Progress) => void seen.push(progress);
    const result = await host().callTool('cook', { dish: 'crepe' }, { onProgress });
    expect(textOf(result)).toContain('is served: crepe');
    const expected = ['stir the batter', 'flip', 'sugar'].map((message, progress) => ({
      progress,
      total: 3,
      ...(know.progressMessages && { message }),
    }));
    expect(heard.progress).toEqual(expected);
    expect(seen[0]).toEqual(expected[0]);
  });

  test('sends the log messages of the level that was asked for', async () => {
    const { heard } = host();
    heard.logs = [];
    await host().callTool('cook', { dish: 'onion soup' }, { logLevel: 'info' });
    await until(() =>
      expect(heard.logs).toMatchObject([
        { level: 'info', logger: 'kitchen', data: expect.stringMatching(/^order \d+: onion soup$/) },
      ]),
    );
    heard.logs = [];
    await host().callTool('cook', { dish: 'onion soup' }, { logLevel: 'debug' });
    await until(() =>
      expect(heard.logs.map(({ level }) => level)).toEqual(['info', 'debug', 'debug', 'debug']),
    );
    expect(heard.logs[1]?.data).toMatchObject({ step: 'slice the onions' });
  });

  test('stops a call that the client cancels', async () => {
    const cancel = new AbortController();
    const call = host().callTool(
      'cook',
      { dish: 'bouillabaisse' },
      { signal: cancel.signal, onProgress: () => cancel.abort('the guest left') },
    );
    await expect(call).rejects.toThrow();
    await until(async () => {
      expect((await readOrders(host())).at(-1)).toMatchObject({ dish: 'bouillabaisse', state: 'cancelled' });
    });
    expect((await host().callTool('list_tables')).isError).toBeFalsy();
  });
}

function changes(host: () => Host): void {
  test('tells of a resource that changed, as long as it is asked to', async () => {
    const { heard } = host();
    const stop = await host().watch('bistro://orders');
    heard.updated = [];
    await host().callTool('cook', { dish: 'crepe' });
    await until(() => expect(new Set(heard.updated)).toEqual(new Set(['bistro://orders'])));
    expect((await readOrders(host())).at(-1)).toMatchObject({ dish: 'crepe', state: 'served' });
    await stop();

    const stopMenu = await host().watch('menu://monday');
    Object.assign(heard, { updated: [], toolChanges: 0 });
    await host().callTool('cook', { dish: 'crepe' });
    // Changes that come one after the other are one notice if nobody could hear of the first in time. So each of these is
    // made when the one before was heard, and then none may be missing.
    for (const [at, dish] of ['cassoulet', 'gratin', 'pot au feu'].entries()) {
      await host().callTool('add_dish', { day: 'monday', dish });
      const updated = Array(at + 1).fill('menu://monday');
      await until(() => expect(heard).toMatchObject({ updated, toolChanges: at + 1 }));
      expect(await host().readResource('menu://monday')).toMatchObject([
        { text: expect.stringContaining(dish) },
      ]);
    }
    await stopMenu();
  });

  test('tells that there is a new tool, which then works', async () => {
    const { heard } = host();
    const stop = await host().watch('bistro://orders');
    heard.toolChanges = 0;
    const added = await host().callTool('add_dish', { day: 'tuesday', dish: 'leek pie' });
    expect(JSON.parse(textOf(added))).toEqual({ menu: 'menu://tuesday', tool: 'order_leek_pie' });
    await until(() => expect(heard.toolChanges).toBe(1));
    expect((await host().listTools()).map(tool => tool.name)).toContain('order_leek_pie');
    expect(textOf(await host().callTool('order_leek_pie'))).toContain('is served: leek pie');
    await stop();
  });
}

/** A test of what only some revisions have. */
function testWhere(exists: boolean, name: string, body: () => Promise<void>): void {
  if (exists) test(name, body);
}

/** What a handler asks while it runs. */
function questions(host: () => Host, know: Knowledge): void {
  testWhere(know.forms !== 'none', 'asks the user, through a form', async () => {
    const forms: unknown[] = [];
    const { user } = host();
    const { fillIn } = user;
    user.fillIn = form => {
      forms.push(form);
      return fillIn(form);
    };
    const result = await host().callTool('book_party', { occasion: 'wedding' });
    expect(textOf(result)).toBe('Booked the wedding: 6 guests, diet vegan, on the terrace.');
    const diet = { type: 'string', enum: ['any', 'vegetarian', 'vegan'], description: 'What do they eat?' };
    expect(forms).toEqual([
      {
        ...(know.forms === 'full' && { mode: 'form' }),
        message: 'A table for the wedding: what do you need?',
        requestedSchema: {
          type: 'object',
          properties: {
            guests: { type: 'integer', minimum: 2, maximum: 20, description: 'How many guests?' },
            diet: know.forms === 'full' ? { ...diet, default: 'any' } : diet,
            terrace: { type: 'boolean', default: false, description: 'On the terrace?' },
          },
          required: ['guests'],
        },
      },
    ]);

    user.fillIn = () => ({ action: 'decline' });
    const declined = await host().callTool('book_party', { occasion: 'funeral' });
    expect(declined).toMatchObject({
      isError: true,
      content: [{ text: 'The user did not want to book.' }],
    });
    user.fillIn = fillIn;
  });

  testWhere(know.forms === 'none', 'asks nobody where there are no forms, and tells the model', async () => {
    const result = await host().callTool('book_party', { occasion: 'wedding' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('elicitation');
  });

  test("asks the client's model", async () => {
    const result = await host().callTool('recommend_wine', { dish: 'ratatouille' });
    expect(textOf(result)).toBe('With ratatouille: a Bandol');
  });

  test('asks for the folders that the client works in', async () => {
    const result = await host().callTool('find_cookbooks');
    expect(textOf(result)).toBe('recipes: /home/chef/recipes');
  });
}

async function readOrders(host: Host): Promise<{ id: number; dish: string; state: string }[]> {
  const [orders] = await host.readResource('bistro://orders');
  return JSON.parse((orders as { text: string }).text);
}

function textOf({ content }: CallToolResult): string {
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

function bytesOf(block: ContentBlock | undefined): Buffer {
  return Buffer.from((block as { data: string }).data, 'base64');
}

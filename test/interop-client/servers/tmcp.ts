import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import {
  BOOKS,
  COVER,
  COVER_BYTES,
  countWords,
  describeOrder,
  describeRoots,
  NEWS,
  PAGE,
  PAGE_SIZE,
  PROMPT_FOR_MODEL,
  QUESTION,
  RESOURCES,
  STEPS,
  TEMPLATE,
  textResult,
  titlesLike,
  waitUntilStopped,
  wasStopped,
} from './shelf.js';

type Shelf = McpServer<z.ZodType>;

/** The bookshelf with tmcp. One serves all connections. */
export function createShelfTmcp(): Shelf {
  const server: Shelf = new McpServer(
    { name: 'shelf-tmcp', version: '1.0.0' },
    {
      adapter: new ZodJsonSchemaAdapter(),
      instructions: 'Read shelf://news first.',
      capabilities: {
        logging: {},
        completions: {},
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
      },
      pagination: { resources: { size: PAGE_SIZE } },
    },
  );
  addTools(server);
  addQuestions(server);
  addChanges(server);
  addResources(server);
  addPrompt(server);
  return server;
}

function addTools(server: Shelf): void {
  const schema = z.object({ text: z.string() });
  server.tool({ name: 'echo', description: 'Says it again', schema }, ({ text }) => textResult(text));
  server.tool(
    { name: 'count', description: 'Counts', schema, outputSchema: z.object({ words: z.number() }) },
    ({ text }) => ({ content: [], structuredContent: countWords(text) }),
  );
  server.tool({ name: 'fail', description: 'Fails' }, () => ({
    ...textResult('The shelf fell.'),
    isError: true,
  }));
  server.tool({ name: 'dust', description: 'Dusts' }, () => {
    for (const [index, message] of STEPS.entries()) {
      server.progress(index + 1, STEPS.length, message);
      server.log('debug', message, 'shelf');
    }
    server.log('info', 'dusted', 'shelf');
    return textResult('dusted');
  });
  const call = z.object({ id: z.string() });
  server.tool({ name: 'wait', description: 'Waits', schema: call }, ({ id }) => {
    server.progress(1);
    return waitUntilStopped(id, server.ctx.signal);
  });
  server.tool({ name: 'stopped', description: 'Whether a call was stopped', schema: call }, ({ id }) =>
    textResult(wasStopped(id)),
  );
}

/** `replayable` says that the handler may run again from the top with the answer, as it does in the new era. */
function addQuestions(server: Shelf): void {
  const form = z.object({ title: z.string(), copies: z.number().int().min(1).default(1) });
  server.tool({ name: 'order', description: 'Orders', replayable: true }, async () => {
    const { action, content } = await server.elicitation(QUESTION, form);
    return textResult(describeOrder(action, content as Record<string, unknown> | undefined));
  });
  server.tool({ name: 'pay', description: 'Pays', replayable: true }, async () => {
    const { action } = await server.elicitation('Pay', PAGE);
    return textResult(action);
  });
  server.tool({ name: 'advise', description: 'Advises', replayable: true }, async () => {
    const { content } = await server.message(PROMPT_FOR_MODEL);
    return textResult(!Array.isArray(content) && content.type === 'text' ? content.text : 'no text');
  });
  server.tool({ name: 'folders', description: 'Asks for roots' }, async () => {
    await server.refreshRoots();
    return textResult(describeRoots(server.roots));
  });
}

function addChanges(server: Shelf): void {
  server.tool({ name: 'publish', description: 'Changes the news' }, () => {
    server.changed('resource', NEWS);
    return textResult('published');
  });
  let extended = 0;
  server.tool({ name: 'extend', description: 'Adds a tool' }, () => {
    server.tool({ name: `extra_${++extended}`, description: 'Extra' }, () => textResult('extra'));
    return textResult('extended');
  });
}

function addResources(server: Shelf): void {
  server.resource({ name: 'news', description: 'News', uri: NEWS, mimeType: 'text/plain' }, uri => ({
    contents: [{ uri, text: 'nothing new' }],
  }));
  server.resource({ name: 'cover', description: 'Cover', uri: COVER, mimeType: 'image/png' }, uri => ({
    contents: [{ uri, blob: COVER_BYTES }],
  }));
  server.template(
    {
      name: 'book',
      description: 'A book',
      uri: TEMPLATE,
      mimeType: 'text/plain',
      list: () => RESOURCES.slice(2),
      complete: { title: value => ({ completion: { values: titlesLike(value) } }) },
    },
    (uri, { title }) => ({ contents: [{ uri, text: `It begins: ${title}` }] }),
  );
}

function addPrompt(server: Shelf): void {
  server.prompt(
    {
      name: 'review',
      description: 'A review',
      schema: z.object({ title: z.string() }),
      complete: { title: value => ({ completion: { values: titlesLike(value) } }) },
    },
    ({ title }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review ${title}, one of ${BOOKS.length} books.` } },
      ],
    }),
  );
}

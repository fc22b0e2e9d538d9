import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  CreateMessageResultSchema,
  ElicitResultSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  BOOKS,
  COVER,
  COVER_BYTES,
  countWords,
  describeOrder,
  describeRoots,
  FORM,
  NEWS,
  PAGE,
  PROMPT_FOR_MODEL,
  pageOfResources,
  QUESTION,
  STEPS,
  TEMPLATE,
  textResult,
  titlesLike,
  waitUntilStopped,
  wasStopped,
} from './shelf.js';

/** The bookshelf with the official SDK v1. One for each connection. */
export function createShelfV1(): McpServer {
  const server = new McpServer(
    { name: 'shelf-v1', version: '1.0.0' },
    {
      capabilities: { logging: {}, resources: { subscribe: true } },
      instructions: 'Read shelf://news first.',
    },
  );
  addTools(server);
  addQuestions(server);
  addChanges(server);
  addResources(server);
  addPrompt(server);
  return server;
}

function addTools(server: McpServer): void {
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => textResult(text));
  server.registerTool(
    'count',
    { inputSchema: { text: z.string() }, outputSchema: { words: z.number() } },
    ({ text }) => ({ content: [], structuredContent: countWords(text) }),
  );
  server.registerTool('fail', {}, () => ({ ...textResult('The shelf fell.'), isError: true }));
  server.registerTool('dust', {}, async extra => {
    const progressToken = extra._meta?.progressToken;
    for (const [index, message] of STEPS.entries()) {
      if (progressToken !== undefined) {
        const params = { progressToken, progress: index + 1, total: STEPS.length, message };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      await server.sendLoggingMessage({ level: 'debug', logger: 'shelf', data: message }, extra.sessionId);
    }
    await server.sendLoggingMessage({ level: 'info', logger: 'shelf', data: 'dusted' }, extra.sessionId);
    return textResult('dusted');
  });
  server.registerTool('wait', { inputSchema: { id: z.string() } }, async ({ id }, extra) => {
    const progressToken = extra._meta?.progressToken;
    if (progressToken !== undefined) {
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress: 1 },
      });
    }
    return waitUntilStopped(id, extra.signal);
  });
  server.registerTool('stopped', { inputSchema: { id: z.string() } }, ({ id }) => textResult(wasStopped(id)));
}

/** Some ask in the stream of the call, and some, as most authors do, through the server itself. */
function addQuestions(server: McpServer): void {
  server.registerTool('order', {}, async () => {
    const { action, content } = await server.server.elicitInput({ message: QUESTION, requestedSchema: FORM });
    return textResult(describeOrder(action, content));
  });
  server.registerTool('pay', {}, async extra => {
    const params = { mode: 'url' as const, message: 'Pay', url: PAGE, elicitationId: 'payment-1' };
    const answer = await extra.sendRequest({ method: 'elicitation/create', params }, ElicitResultSchema);
    return textResult(answer.action);
  });
  server.registerTool('advise', {}, async extra => {
    const request = { method: 'sampling/createMessage' as const, params: PROMPT_FOR_MODEL };
    const { content } = await extra.sendRequest(request, CreateMessageResultSchema);
    return textResult(content.type === 'text' ? content.text : content.type);
  });
  server.registerTool('folders', {}, async extra => {
    const { roots } = await extra.sendRequest({ method: 'roots/list' }, ListRootsResultSchema);
    return textResult(describeRoots(roots));
  });
}

function addChanges(server: McpServer): void {
  const subscribed = new Set<string>();
  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  server.registerTool('publish', {}, async () => {
    if (subscribed.has(NEWS)) await server.server.sendResourceUpdated({ uri: NEWS });
    return textResult('published');
  });
  let extended = 0;
  server.registerTool('extend', {}, () => {
    server.registerTool(`extra_${++extended}`, {}, () => textResult('extra'));
    return textResult('extended');
  });
}

function addResources(server: McpServer): void {
  server.registerResource('news', NEWS, { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: NEWS, text: 'nothing new' }],
  }));
  server.registerResource('cover', COVER, { mimeType: 'image/png' }, () => ({
    contents: [{ uri: COVER, blob: COVER_BYTES }],
  }));
  const template = new ResourceTemplate(TEMPLATE, { list: undefined, complete: { title: titlesLike } });
  server.registerResource('book', template, { mimeType: 'text/plain' }, (uri, { title }) => ({
    contents: [{ uri: uri.href, text: `It begins: ${title}` }],
  }));
  server.server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    pageOfResources(params?.cursor),
  );
}

function addPrompt(server: McpServer): void {
  server.registerPrompt(
    'review',
    { argsSchema: { title: completable(z.string(), titlesLike) } },
    ({ title }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review ${title}, one of ${BOOKS.length} books.` } },
      ],
    }),
  );
}

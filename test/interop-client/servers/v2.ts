import {
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
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

/**
 * The bookshelf with the official SDK v2. Where one is made for each request, `notify` reaches those who listen.
 */
export function createShelfV2(notify?: Pick<ServerNotifier, 'toolsChanged' | 'resourceUpdated'>): McpServer {
  const server = new McpServer(
    { name: 'shelf-v2', version: '1.0.0' },
    {
      capabilities: { logging: {}, resources: { subscribe: true }, tools: { listChanged: true } },
      instructions: 'Read shelf://news first.',
    },
  );
  addTools(server);
  addQuestions(server);
  addChanges(server, notify);
  addResources(server);
  addPrompt(server);
  return server;
}

function addTools(server: McpServer): void {
  const text = z.object({ text: z.string() });
  server.registerTool('echo', { inputSchema: text }, args => textResult(args.text));
  server.registerTool(
    'count',
    { inputSchema: text, outputSchema: z.object({ words: z.number() }) },
    args => ({ content: [], structuredContent: countWords(args.text) }),
  );
  server.registerTool('fail', {}, () => ({ ...textResult('The shelf fell.'), isError: true }));
  server.registerTool('dust', {}, async ({ mcpReq }) => {
    for (const [index, message] of STEPS.entries()) {
      await report(mcpReq, { progress: index + 1, total: STEPS.length, message });
      await mcpReq.log('debug', message, 'shelf');
    }
    await mcpReq.log('info', 'dusted', 'shelf');
    return textResult('dusted');
  });
  const id = z.object({ id: z.string() });
  server.registerTool('wait', { inputSchema: id }, async (args, { mcpReq }) => {
    await report(mcpReq, { progress: 1 });
    return waitUntilStopped(args.id, mcpReq.signal);
  });
  server.registerTool('stopped', { inputSchema: id }, args => textResult(wasStopped(args.id)));
}

async function report(
  { _meta, notify }: ServerContext['mcpReq'],
  progress: { progress: number; total?: number; message?: string },
): Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  await notify({ method: 'notifications/progress', params: { ...progress, progressToken } });
}

/** Written once for both eras: on old connections the SDK sends real requests. */
function addQuestions(server: McpServer): void {
  server.registerTool('order', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'order');
    if (answer.kind === 'elicit') return textResult(describeOrder(answer.action, answer.content));
    return inputRequired({
      inputRequests: { order: inputRequired.elicit({ message: QUESTION, requestedSchema: FORM }) },
      requestState: 'ordering',
    });
  });
  server.registerTool('pay', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'pay');
    if (answer.kind === 'elicit') return textResult(answer.action);
    return inputRequired({ inputRequests: { pay: inputRequired.elicitUrl({ message: 'Pay', url: PAGE }) } });
  });
  server.registerTool('advise', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'model');
    if (answer.kind === 'sampling') {
      const { content } = answer.result;
      return textResult(!Array.isArray(content) && content.type === 'text' ? content.text : 'no text');
    }
    return inputRequired({ inputRequests: { model: inputRequired.createMessage(PROMPT_FOR_MODEL) } });
  });
  server.registerTool('folders', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'folders');
    if (answer.kind === 'roots') return textResult(describeRoots(answer.roots));
    return inputRequired({ inputRequests: { folders: inputRequired.listRoots() } });
  });
}

function addChanges(server: McpServer, notify: Parameters<typeof createShelfV2>[0]): void {
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.registerTool('publish', {}, async () => {
    if (notify) notify.resourceUpdated(NEWS);
    else await server.server.sendResourceUpdated({ uri: NEWS });
    return textResult('published');
  });
  let extended = 0;
  server.registerTool('extend', {}, () => {
    if (notify) notify.toolsChanged();
    else server.registerTool(`extra_${++extended}`, {}, () => textResult('extra'));
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
  server.server.setRequestHandler('resources/list', ({ params }) => pageOfResources(params?.cursor));
}

function addPrompt(server: McpServer): void {
  server.registerPrompt(
    'review',
    { argsSchema: z.object({ title: completable(z.string(), titlesLike) }) },
    ({ title }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Review ${title}, one of ${BOOKS.length} books.` } },
      ],
    }),
  );
}

import { FastMCP, type FastMCPSession } from 'fastmcp';
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
  QUESTION,
  RESOURCES,
  STEPS,
  TEMPLATE,
  titlesLike,
  waitUntilStopped,
  wasStopped,
} from './shelf.js';

/** The bookshelf with fastmcp. */
export function createShelfFastmcp(): FastMCP {
  const quiet = () => {};
  const server = new FastMCP({
    name: 'shelf-fastmcp',
    version: '1.0.0',
    instructions: 'Read shelf://news first.',
    logger: { debug: quiet, error: quiet, info: quiet, log: quiet, warn: quiet },
  });
  addTools(server);
  addQuestions(server);
  addChanges(server);
  addResources(server);
  addPrompt(server);
  return server;
}

function addTools(server: FastMCP): void {
  const parameters = z.object({ text: z.string() });
  server.addTool({ name: 'echo', parameters, execute: async ({ text }) => text });
  server.addTool({
    name: 'count',
    parameters,
    outputSchema: z.object({ words: z.number() }),
    execute: async ({ text }) => countWords(text),
  });
  server.addTool({
    name: 'fail',
    execute: async () => ({ content: [{ type: 'text', text: 'The shelf fell.' }], isError: true }),
  });
  server.addTool({
    name: 'dust',
    execute: async (_args, { log, reportProgress }) => {
      for (const [index, message] of STEPS.entries()) {
        await reportProgress({ progress: index + 1, total: STEPS.length, message });
        log.debug(message);
      }
      log.info('dusted');
      return 'dusted';
    },
  });
  const call = z.object({ id: z.string() });
  server.addTool({
    name: 'wait',
    parameters: call,
    execute: async ({ id }, { reportProgress, signal }) => {
      await reportProgress({ progress: 1 });
      return waitUntilStopped(id, signal);
    },
  });
  server.addTool({ name: 'stopped', parameters: call, execute: async ({ id }) => wasStopped(id) });
}

function addQuestions(server: FastMCP): void {
  server.addTool({
    name: 'order',
    execute: async (_args, { elicit }) => {
      const { action, content } = await elicit({ message: QUESTION, requestedSchema: FORM });
      return describeOrder(action, content);
    },
  });
  server.addTool({
    name: 'pay',
    execute: async (_args, { elicit }) => {
      const { action } = await elicit({ mode: 'url', message: 'Pay', url: PAGE, elicitationId: 'payment-1' });
      return action;
    },
  });
  const session = (id: string | undefined) =>
    server.sessions.find(({ sessionId }) => sessionId === id) as FastMCPSession;
  server.addTool({
    name: 'advise',
    execute: async (_args, { sessionId }) => {
      const { content } = await session(sessionId).requestSampling(PROMPT_FOR_MODEL);
      return content.type === 'text' ? (content.text as string) : content.type;
    },
  });
  server.addTool({
    name: 'folders',
    execute: async (_args, { sessionId }) => describeRoots(session(sessionId).roots),
  });
}

function addChanges(server: FastMCP): void {
  server.addTool({
    name: 'publish',
    execute: async () => {
      await server.sendResourceUpdated(NEWS);
      return 'published';
    },
  });
  let extended = 0;
  server.addTool({
    name: 'extend',
    execute: async () => {
      server.addTool({ name: `extra_${++extended}`, execute: async () => 'extra' });
      return 'extended';
    },
  });
}

function addResources(server: FastMCP): void {
  server.addResource({
    uri: NEWS,
    name: 'news',
    mimeType: 'text/plain',
    load: async () => ({ text: 'nothing new' }),
  });
  server.addResource({
    uri: COVER,
    name: 'cover',
    mimeType: 'image/png',
    load: async () => ({ blob: COVER_BYTES }),
  });
  for (const { uri, name, mimeType } of RESOURCES.slice(2)) {
    server.addResource({ uri, name, mimeType, load: async () => ({ text: `It begins: ${name}` }) });
  }
  server.addResourceTemplate({
    uriTemplate: TEMPLATE,
    name: 'book',
    mimeType: 'text/plain',
    arguments: [{ name: 'title', required: true, complete: async value => ({ values: titlesLike(value) }) }],
    load: async ({ title }) => ({ text: `It begins: ${title}` }),
  });
}

function addPrompt(server: FastMCP): void {
  server.addPrompt({
    name: 'review',
    arguments: [{ name: 'title', required: true, complete: async value => ({ values: titlesLike(value) }) }],
    load: async ({ title }) => `Review ${title}, one of ${BOOKS.length} books.`,
  });
}

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { toModelTools } from '../../src/client/models/index.js';
import { connect, connectAll } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { ROOT } from '../architecture/sources.js';
import { blocksIn, runSnippet } from './snippets.js';

const server = new Server({ name: 'bistro', version: '1.0.0' });
const input = z.object({ restaurant: z.string(), guests: z.number(), note: z.string().optional() });
server.tool('reserve', { input }, ({ restaurant, guests }) => `Table 7 at ${restaurant} for ${guests}`);

const ARGUMENTS = { restaurant: 'Chez Nous', guests: 2 };
const ANSWER = 'You have table 7.';

/** Models that call `reserve` once, and answer when they have seen the result. */
class OpenAI {
  responses = {
    create: async ({ input, tools }: { input: any[]; tools: any[] }) => {
      const [{ name, strict }] = tools;
      const result = input.find(item => item.type === 'function_call_output');
      if (result) {
        expect(result).toEqual({
          type: 'function_call_output',
          call_id: 'c1',
          output: 'Table 7 at Chez Nous for 2',
        });
        return { output: [{ type: 'message' }], output_text: ANSWER };
      }
      expect(strict).toBe(true);
      const args = JSON.stringify({ ...ARGUMENTS, note: null });
      return {
        output: [{ type: 'reasoning' }, { type: 'function_call', call_id: 'c1', name, arguments: args }],
      };
    },
  };
  chat = {
    completions: {
      create: async ({ messages, tools }: { messages: any[]; tools: any[] }) => {
        const result = messages.find(({ role }) => role === 'tool');
        if (result) {
          expect(result.content).toBe('Table 7 at Chez Nous for 2');
          return { choices: [{ message: { role: 'assistant', content: ANSWER } }] };
        }
        const { name } = tools[0].function;
        const call = { id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(ARGUMENTS) } };
        return { choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }] };
      },
    },
  };
}

class Anthropic {
  messages = {
    create: async ({ messages, tools }: { messages: any[]; tools: any[] }) => {
      const result = messages.at(-1).content[0];
      if (result.type === 'tool_result') {
        expect(result.content).toEqual([{ type: 'text', text: 'Table 7 at Chez Nous for 2' }]);
        return { stop_reason: 'end_turn', content: [{ type: 'text', text: ANSWER }] };
      }
      const call = { type: 'tool_use', id: 't1', name: tools[0].name, input: ARGUMENTS };
      return { stop_reason: 'tool_use', content: [{ type: 'text', text: 'One moment.' }, call] };
    },
  };
}

class GoogleGenAI {
  models = {
    generateContent: async ({ contents, config }: { contents: any[]; config: { tools: any[] } }) => {
      const { functionResponse } = contents.at(-1).parts[0];
      if (functionResponse) {
        expect(functionResponse.response).toEqual({ output: 'Table 7 at Chez Nous for 2' });
        return { text: ANSWER, candidates: [{ content: { role: 'model', parts: [{ text: ANSWER }] } }] };
      }
      const call = { name: config.tools[0].functionDeclarations[0].name, args: ARGUMENTS };
      const content = { role: 'model', parts: [{ functionCall: call }] };
      return { functionCalls: [call], candidates: [{ content }] };
    },
  };
}

const blocks = blocksIn('docs/models.md');
let running: Awaited<ReturnType<typeof listen>>;
beforeAll(async () => {
  running = await listen(server, { port: 0 });
});
afterAll(() => running.close());

it.each(blocks.map(block => [/(new \w+|resolve)/.exec(block)?.[0] as string, block]))(
  'docs/models.md shows a program with %s that runs',
  async (_, block) => {
    const printed: unknown[] = [];
    const here = block.replace(/https:\/\/\w+\.example\/mcp/g, running.url);
    const console = { log: (text: unknown) => printed.push(text) };
    await runSnippet(here, { OpenAI, Anthropic, GoogleGenAI, connect, connectAll, toModelTools, console });
    expect(printed).toEqual(block.includes('console.log') ? [ANSWER] : []);
  },
);

it('docs/models.md names every format', () => {
  const page = readFileSync(`${ROOT}/docs/models.md`, 'utf8');
  for (const format of ['openai', 'openai-chat', 'anthropic', 'gemini'])
    expect(page).toContain(`| \`${format}\``);
  expect(blocks).toHaveLength(5);
});

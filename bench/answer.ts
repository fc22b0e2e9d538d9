import { type Era, message, type Scenario } from './scenarios.js';

/** The request that an answer belongs to, and the content that it must have. */
export interface Expectation {
  era: Era;
  scenario: Scenario;
  toolCount: number;
}

interface Answer {
  jsonrpc?: unknown;
  id?: unknown;
  error?: unknown;
  result?: { resultType?: string; isError?: boolean; content?: { text?: string }[]; tools?: ListedTool[] };
}

interface ListedTool {
  name: string;
  description?: string;
  inputSchema?: { properties?: object };
}

/** Throws a readable error unless `text` is the right answer to the request `id`. */
export function checkAnswer(text: string, contentType: string, id: number, expected: Expectation): void {
  const fault = faultOf(parseAnswer(text, contentType), id, expected);
  if (fault !== undefined) throw new Error(`${fault}; it answered ${text.slice(0, 400)}`);
}

/** The JSON-RPC message of a body, which is JSON or a stream whose last event carries it. */
export function parseAnswer(text: string, contentType: string): Answer {
  const streamed = contentType.startsWith('text/event-stream');
  const data = streamed
    ? text
        .split('\n')
        .findLast(line => line.startsWith('data:'))
        ?.slice('data:'.length)
    : text;
  try {
    return JSON.parse(data ?? '') as Answer;
  } catch (cause) {
    throw new Error(`the answer is not JSON: ${text.slice(0, 400)}`, { cause });
  }
}

function faultOf(answer: Answer, id: number, expected: Expectation): string | undefined {
  if (answer.jsonrpc !== '2.0') return 'the answer is not JSON-RPC 2.0';
  if (answer.id !== id) return `the answer's id is ${JSON.stringify(answer.id)}, not ${id}`;
  if (answer.error !== undefined || answer.result === undefined) return 'the answer is not a result';
  const { result } = answer;
  if (expected.era === '2026-07-28' && result.resultType !== 'complete') return 'the result is not complete';
  return expected.scenario === 'tools/call' ? callFault(result) : listFault(result, expected.toolCount);
}

function callFault({ isError, content }: NonNullable<Answer['result']>): string | undefined {
  if (isError === true) return 'the tool failed';
  return content?.[0]?.text === message ? undefined : 'the echo is not what was sent';
}

function listFault({ tools }: NonNullable<Answer['result']>, count: number): string | undefined {
  if (tools?.length !== count) return `the list has ${tools?.length} tools, not ${count}`;
  if (new Set(tools.map(tool => tool.name)).size !== count) return 'the list names a tool twice';
  const poor = tools.find(tool => !tool.description || !tool.inputSchema?.properties);
  return poor && `the tool ${poor.name} is listed without its description or schema`;
}

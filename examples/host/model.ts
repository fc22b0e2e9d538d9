import type { Tool } from 'tenon/protocol';

/** What a model decides to do next. */
export type Decision = { call: string; args: object } | { say: string };

/** A message of the conversation, as models get it. */
export interface Message {
  role: 'user' | 'tool';
  text: string;
}

/**
 * Stands for a model: it gets the conversation and the tools, and decides. A real one is asked over its API, with the same
 * names, descriptions and schemas of the tools.
 */
export async function decide(messages: readonly Message[], tools: readonly Tool[]): Promise<Decision> {
  const results = messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
  const [question = ''] = messages.map(({ text }) => text);
  const find = (name: string) => tools.find(tool => tool.name.endsWith(name))?.name ?? name;
  if (results.length === 0) return { call: find('__open_issue'), args: { title: question } };
  if (results.length === 1) return { call: find('__reserve'), args: { name: 'Ada' } };
  return { say: `I opened an issue and reserved a table: ${results.join(' ')}` };
}

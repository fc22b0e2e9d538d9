import { ConnectionError } from 'tenon';
import { RequestTimeout, TenonError, UsageError } from 'tenon/client';
import { expect, it } from 'vitest';
import { blocksIn, runSnippet } from './snippets.js';

const [snippet = ''] = blocksIn('docs/errors.md').filter(block => block.includes('switch (error.kind)'));

it.each([
  ['a server that does not answer in time', new RequestTimeout('too late'), 'try again later'],
  ['a connection that breaks', new ConnectionError('gone'), 'try again later'],
  ['a mistake of the program', new UsageError('write it so'), 'write it so'],
])('the page on errors shows what to do about %s', async (_, error, advice) => {
  const printed: unknown[] = [];
  const connect = async () => {
    throw error;
  };
  await runSnippet(snippet, {
    connect,
    TenonError,
    console: { error: (text: unknown) => printed.push(text) },
  });
  expect(printed).toEqual([advice]);
});

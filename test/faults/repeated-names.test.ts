import { beforeAll, describe, expect, test } from 'vitest';
import type { RunningHttpServer } from '../../src/node/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { answerOf, ENVELOPE, LEGACY, legacy, MODERN, modern, openSession, post, textOf } from './messages.js';
import { exchange } from './raw-http.js';
import { echoing } from './serving.js';
import { StdioChild } from './stdio-child.js';

let served: RunningHttpServer;
let session: string;
let child: StdioChild;
beforeAll(async () => {
  const server = new Server({ name: 'faults', version: '1.0.0' });
  echoing(server);
  served = await listen(server, { port: 0, keys: freshKeys() });
  session = await openSession(served.port);
  child = new StdioChild();
  await child.initialize('2025-03-26');
  return async () => {
    child.kill();
    await served.close(0);
  };
});

const META = JSON.stringify(ENVELOPE);
const CALL = `"jsonrpc":"2.0","id":7,"method":"tools/call"`;
const ARGUMENTS = '"name":"echo","arguments":{"value":1}';

/** Requests that say something twice, and what they say twice. */
const REPEATING: [name: string, text: string][] = [
  ['jsonrpc', `{"jsonrpc":"1.0",${CALL},"params":{${ARGUMENTS},"_meta":${META}}}`],
  ['method', `{"method":"tools/list",${CALL},"params":{${ARGUMENTS},"_meta":${META}}}`],
  ['params', `{"params":{},${CALL},"params":{${ARGUMENTS},"_meta":${META}}}`],
  ['method', `{"m\\u0065thod" : "tools/list",${CALL},"params":{${ARGUMENTS},"_meta":${META}}}`],
  ['name', `{${CALL},"params":{"name":"other",${ARGUMENTS},"_meta":${META}}}`],
  ['arguments', `{${CALL},"params":{"arguments":{},${ARGUMENTS},"_meta":${META}}}`],
  ['_meta', `{${CALL},"params":{"_meta":{},${ARGUMENTS},"_meta":${META}}}`],
  ['uri', `{${CALL},"params":{"uri":"a:b","uri":"a:c",${ARGUMENTS},"_meta":${META}}}`],
  ['requestState', `{${CALL},"params":{"requestState":"a","requestState":"b",${ARGUMENTS},"_meta":${META}}}`],
  [
    'inputResponses',
    `{${CALL},"params":{"inputResponses":{},"inputResponses":{},${ARGUMENTS},"_meta":${META}}}`,
  ],
  ['value', `{${CALL},"params":{"name":"echo","arguments":{"value":1,"value":2},"_meta":${META}}}`],
  [
    'traceparent',
    `{${CALL},"params":{${ARGUMENTS},"_meta":{"traceparent":"","traceparent":"",${META.slice(1)}}}`,
  ],
];

function refusalOf(name: string, id?: number): object {
  const message = `"${name}" appears twice in the same object; names must be unique`;
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), error: { code: -32600, message } };
}

describe('a request with a repeated name', () => {
  test.each(REPEATING)('is refused over HTTP, in both eras: %s', async (name, text) => {
    const { headers } = modern('tools/call', { name: 'echo' });
    for (const sent of [headers, { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY }]) {
      // A long text takes another way through the parser.
      for (const padding of ['', ' '.repeat(600)]) {
        const response = await exchange(served.port, post(text + padding, sent));
        expect(response.status).toBe(400);
        expect(answerOf(response)).toEqual(refusalOf(name, 7));
      }
    }
  });

  test.each(REPEATING)('is refused on stdio, in both eras: %s', async (name, text) => {
    const known = child.messages.length;
    child.write(`${text}\n${text.replace(MODERN, LEGACY)}\n`);
    await child.until(() => child.messages.length >= known + 2);
    expect(child.messages.slice(known)).toEqual([refusalOf(name, 7), refusalOf(name, 7)]);
  });

  test('is refused without an id if the name is "id"', async () => {
    const text = `{"id":1,${CALL},"params":{${ARGUMENTS},"_meta":${META}}}`;
    const { headers } = modern('tools/call', { name: 'echo' });
    expect(answerOf(await exchange(served.port, post(text, headers)))).toEqual(refusalOf('id'));
  });

  test('is refused with the beginning of a long name', async () => {
    const name = 'x'.repeat(100_000);
    const text = `{"${name}":1,"${name}":2,${CALL}}`;
    const { error } = answerOf(await exchange(served.port, post(text, { 'mcp-session-id': session })));
    expect(error.message).toMatch(/^"x{80}…" appears twice/);
  });

  test('makes its whole batch invalid, and errors of this revision need an id, so nothing is answered', async () => {
    const known = child.messages.length;
    child.write(
      `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"id":3,"method":"ping"}]\n`,
    );
    child.call('after the batch', 'echo', { value: 1 });
    await child.answer('after the batch');
    expect(child.messages.slice(known)).toHaveLength(1);
  });
});

test('a notification with a repeated name is not answered on stdio', async () => {
  const known = child.messages.length;
  child.write('{"jsonrpc":"2.0","method":"notifications/x","method":"notifications/y"}\n');
  child.call('after', 'echo', { value: 1 });
  await child.answer('after');
  expect(child.messages.slice(known)).toHaveLength(1);
});

test('the same name in different objects is not repeated, nor is one in a string', async () => {
  const value = { value: { value: '"value":1,"value":2,"name":' }, name: 'echo', list: [{ a: 1 }, { a: 2 }] };
  const params = { name: 'echo', arguments: { value } };
  for (const request of [modern('tools/call', params), legacy(session, 'tools/call', params)]) {
    expect(JSON.parse(textOf(await exchange(served.port, request)))).toEqual(value);
  }
});

test('the last value counts where a name is repeated deep inside the arguments', async () => {
  const text = JSON.stringify({ a: { b: { c: 0 } } }).replace('"c":0', '"c":1,"c":2');
  const body = `{${CALL},"params":{"name":"echo","arguments":{"value":${text}}}}`;
  const response = await exchange(served.port, post(body, { 'mcp-session-id': session }));
  expect(textOf(response)).toBe('{"a":{"b":{"c":2}}}');
});

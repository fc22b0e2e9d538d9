import { describe, expect, test } from 'vitest';
import { connect, UsageError } from '../../src/node/client/index.js';
import { pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';

const form = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
};

/** A server that asks two things before it calls a tool. */
function asking() {
  return modern({
    'tools/call': ask =>
      ask.message.params.inputResponses
        ? ask.text('done')
        : ask.result({
            resultType: 'input_required',
            inputRequests: { a: form, b: form },
            requestState: 's',
          }),
  });
}

describe('answers to a held request', () => {
  const decline = { action: 'decline' as const };

  // covers: 2026-07-28/mrtr/inputs-before-retry
  test.each([
    ['none', {}, 'there is no answer to "a", "b"'],
    ['some', { a: decline }, 'there is no answer to "b"'],
    ['too many', { a: decline, b: decline, c: decline }, 'there is no question for the answer "c"'],
  ])('are not sent if there are %s', async (_, answers, problem) => {
    const { client, server } = await pair(asking(), { onElicit: () => decline });
    const { held } = await client.begin('tools/call', { name: 'x' });
    const error = await client.resume(held!, answers).catch(thrown => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toContain(problem);
    expect(server.of('tools/call')).toHaveLength(1);
    expect((await client.resume(held!, { a: decline, b: decline })).result).toBeDefined();
  });
});

test.each([[{ deep: [1] }], [null], [[1]]])(
  'content of a form is not sent with a value such as %j',
  async more => {
    const answer = { action: 'accept' as const, content: { name: 'Ada', more: more as never } };
    const { client, server } = await pair(asking(), { onElicit: () => answer });
    await expect(client.callTool('x')).rejects.toThrow('"more" must be a string');
    const { held } = await client.begin('tools/call', { name: 'x' });
    await expect(client.resume(held!, { a: answer, b: answer })).rejects.toThrow(UsageError);
    expect(server.of('tools/call').filter(({ message }) => message.params.inputResponses)).toEqual([]);
  },
);

// covers: 2026-07-28/versioning/extension-ids-are-meta-keys
test.each(['foo', 'a..b/c', '-x/y', 'com.example/'])('an extension cannot be declared as %s', async id => {
  const options = { capabilities: { extensions: { [id]: {} } } };
  await expect(connect('http://127.0.0.1:9/mcp', options)).rejects.toThrow(UsageError);
});

test('types of results cannot be accepted without the extension that brings them', async () => {
  const options = { resultTypes: ['later'] };
  await expect(connect('http://127.0.0.1:9/mcp', options)).rejects.toThrow(
    'resultTypes belong to extensions',
  );
});

// covers: 2026-07-28/streamable-http/accepts-both-types
test.each(['connect', 'the call'])('headers of %s do not replace Accept and Content-Type', async where => {
  const headers = { Accept: 'text/html', 'Content-Type': 'text/plain', 'x-own': '1' };
  const answer = modern({ 'tools/call': ask => ask.text('done') });
  const { client, server } = await pair(answer, where === 'connect' ? { headers } : {});
  await client.callTool('x', {}, where === 'connect' ? {} : { headers });
  expect(server.of('tools/call')[0]!.request.headers).toMatchObject({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'x-own': '1',
  });
});

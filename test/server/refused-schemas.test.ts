import { expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

// covers: 2026-07-28/basic/schemas-are-valid, 2026-07-28/basic/unresolved-references-are-rejected
// covers: 2026-07-28/basic/no-network-references
it.each<[string, object, string]>([
  ['an unknown type', { properties: { a: { type: 'strin' } } }, '#/properties/a/type'],
  ['a keyword with a value of the wrong kind', { required: 'a' }, '#/required'],
  [
    'a reference to another document',
    { properties: { a: { $ref: 'https://a.example/s' } } },
    '#/properties/a/$ref',
  ],
])('a tool whose JSON Schema has %s is reported and never listed', async (_, wrong, place) => {
  const errors: string[] = [];
  const server = new Server(
    { name: 'bistro', version: '1.0.0' },
    { onError: error => errors.push((error as Error).message) },
  );
  const schema = { type: 'object', ...wrong } as never;
  server.tool('in', { input: schema }, () => '');
  server.tool('out', { output: schema }, (() => ({})) as never);
  const replaced = server.tool('replaced', {}, () => '');
  replaced.replace({ input: schema }, () => '');
  const mended = server.tool('mended', { input: schema }, () => '');
  mended.replace({}, () => 'fine');
  server.tool('fine', { input: { type: 'object' } }, () => '');
  const client = await connectRaw(server);
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['mended', 'fine']);
  await expect(client.request('tools/call', { name: 'in' })).rejects.toThrow('unknown tool: in');
  for (const what of ['input of tool "in"', 'output of tool "out"', 'input of tool "replaced"'])
    expect(errors).toContainEqual(expect.stringContaining(`the ${what}: schema refused at ${place}`));
});

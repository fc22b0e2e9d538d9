import { expect, it } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';

const tool = (name: string, type: string) => ({
  name,
  inputSchema: { type: 'object', properties: { a: { type, 'x-mcp-header': 'A' } } },
});

it('a tool whose headers are invalid is left out of every list, and the author is told of it once', async () => {
  const warnings: string[] = [];
  let tools = [tool('good', 'string'), tool('bad', 'number')];
  const { client } = await pair(
    modern({ 'tools/list': ask => ask.result({ tools, ttlMs: 60_000, cacheScope: 'private' }) }),
    { onWarning: message => warnings.push(message) },
  );
  for (const cacheMode of ['use', 'use', 'refresh'] as const)
    expect(await client.tools({ cacheMode })).toMatchObject([{ name: 'good' }]);
  expect(warnings).toEqual([expect.stringContaining('bad: x-mcp-header at properties.a: the type must be')]);
  tools = [...tools, tool('worse', 'array')];
  expect(await client.tools({ cacheMode: 'refresh' })).toHaveLength(1);
  expect(warnings.slice(1)).toEqual([expect.stringMatching(/because of their headers: worse: /)]);
});

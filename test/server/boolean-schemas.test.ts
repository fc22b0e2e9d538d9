import { expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const input = {
  type: 'object',
  properties: { dish: true, poison: false, guests: { type: 'integer' } },
  required: ['dish'],
  additionalProperties: false,
} as const;
const output = { type: 'object', properties: { bill: true } } as const;

async function connect(revision: string) {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('order', { input, output }, () => ({ bill: 7 }));
  return connectRaw(server, { revision });
}

// The schemas of these revisions know no other properties than objects.
it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'properties that are true or false are listed as objects that say the same, on %s',
  async revision => {
    const { tools } = await (await connect(revision)).request('tools/list');
    const [{ inputSchema, outputSchema }] = tools as [{ inputSchema: object; outputSchema?: object }];
    expect(inputSchema).toEqual({
      ...input,
      properties: { dish: {}, poison: { not: {} }, guests: { type: 'integer' } },
    });
    if (revision >= '2025-06-18') expect(outputSchema).toEqual({ type: 'object', properties: { bill: {} } });
    else expect(outputSchema).toBeUndefined();
  },
);

it('properties that are true or false are listed as they are where schemas may be anything', async () => {
  const { tools } = await (await connect('2026-07-28')).request('tools/list');
  expect(tools).toMatchObject([{ inputSchema: input, outputSchema: output }]);
});

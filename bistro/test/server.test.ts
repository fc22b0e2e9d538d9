import { eachRevision } from 'tenon/testing';
import { expect, test } from 'vitest';
import server from '../src/server.js';

// Forms came with 2025-06-18.
eachRevision(test, 'reserves a table for the guests', { since: '2025-06-18' }, async connect => {
  const client = await connect(server, { answers: { elicit: { guests: 2 } } });
  const { structuredContent } = await client.callTool('reserve', { day: 'friday' });
  expect(structuredContent).toEqual({ table: 'friday-table-for-2', guests: 2 });
});

eachRevision(test, 'reads the menu', async connect => {
  const client = await connect(server);
  const { contents } = await client.readResource('menu://today');
  expect(contents[0]).toMatchObject({ mimeType: 'text/markdown' });
});

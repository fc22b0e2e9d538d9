import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connectTest, textOf } from 'tenon/testing';

export const server = new Server({ name: 'bistro', version: '1.0.0' });

/** Calls the tool in two revisions. */
export async function check(): Promise<void> {
  const plain = await connectTest(server, { revision: '2024-11-05' });
  deepEqual(textOf(await plain.callTool('where')), 'No folders in 2024-11-05');
  const rooted = await connectTest(server, { roots: [{ uri: 'file:///work' }] });
  deepEqual(textOf(await rooted.callTool('where')), 'Folders: 1');
}

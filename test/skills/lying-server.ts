import { onTestFinished } from 'vitest';
import type { Client } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { resourceNotFound, Server } from '../../src/server/index.js';

/** A client of a server that says of its skills whatever it is told to, and serves whatever files. */
export async function connectedTo(
  skills: readonly unknown[],
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<{ client: Client; reads: string[] }> {
  const extensions = { 'io.modelcontextprotocol/skills': {} };
  const server = new Server({ name: 'liar', version: '1.0.0' }, { capabilities: { extensions } });
  const reads: string[] = [];
  server.method('skills/list', () => ({ skills, ttlMs: 0, cacheScope: 'private' }));
  server.method('skills/get', () => ({ skill: skills[0], ttlMs: 0, cacheScope: 'private' }));
  server.resource('skill://{+path}', {}, (_, { uri }) => {
    reads.push(uri);
    const content = files[uri];
    if (content === undefined) throw resourceNotFound(uri);
    return typeof content === 'string' ? content : { blob: content };
  });
  const client = await connect(server);
  onTestFinished(() => client.close());
  return { client, reads };
}

import { expect, test } from 'vitest';
import { HANDSHAKES, ScriptedServer } from './scripted-server.js';

/** What a client of a revision sends of members that only some revisions have. */
async function sentTo(revision: string) {
  const server = new ScriptedServer({ revision, capabilities: { completions: {} } });
  const client = await server.connect('on a pipe', {
    info: {
      name: 'waiter',
      version: '1.0.0',
      title: 'The waiter',
      description: 'Takes orders',
      websiteUrl: 'https://waiter.example',
      icons: [{ src: 'https://waiter.example/icon.png' }],
    },
    capabilities: { tasks: {}, 'com.example/own': {} } as never,
  });
  const context = { country: 'France' };
  await client.complete({ type: 'ref/prompt', name: 'menu' }, { name: 'city', value: 'P' }, { context });
  const [{ params }] = server.messages.filter(({ method }) => method === 'initialize');
  const completion = await server.next(({ method }) => method === 'completion/complete');
  return {
    info: Object.keys(params.clientInfo),
    capabilities: Object.keys(params.capabilities),
    completion: Object.keys(completion.params),
  };
}

const OLDEST = {
  info: ['name', 'version'],
  capabilities: ['com.example/own'],
  completion: ['ref', 'argument'],
};
const KNOWN: Record<string, object> = {
  '2024-11-05': OLDEST,
  '2025-03-26': OLDEST,
  '2025-06-18': {
    info: ['name', 'version', 'title'],
    capabilities: ['com.example/own'],
    completion: ['ref', 'argument', 'context'],
  },
  '2025-11-25': {
    info: ['name', 'version', 'title', 'description', 'websiteUrl', 'icons'],
    capabilities: ['tasks', 'com.example/own'],
    completion: ['ref', 'argument', 'context'],
  },
};

// covers: 2025-06-18/lifecycle/client-respects-the-version
test.each(HANDSHAKES)(
  'a client sends a server of %s only the members that its revision knows',
  async revision => {
    expect(await sentTo(revision)).toEqual(KNOWN[revision]);
  },
);

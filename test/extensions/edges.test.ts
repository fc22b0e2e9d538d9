import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ConnectOptions } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension, method, notice } from '../../src/server/extensions/index.js';
import { Server } from '../../src/server/index.js';
import { connectTest } from '../../src/testing/index.js';
import { until } from '../interop-client/until.js';
import { connectRaw } from '../raw-client.js';

const ID = 'com.example/orders';
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** A restaurant whose extension counts orders, and tells of them those who may know. */
function createRestaurant(): Server {
  const orders = extension({
    id: ID,
    methods: { 'com.example/count': method(z.object({}), () => ({ count: 3 })) },
    notices: {
      'com.example/orders': notice('notifications/com.example/ordered', {
        filter: z.array(z.string()),
        wants: (names, { dish }) => names.includes(dish as string),
        accept: (names, caller) =>
          caller?.principal === 'cook' ? names : names.filter(name => name === 'soup'),
      }),
    },
  });
  return new Server({ name: 'bistro', version: '1.0.0' }, { extensions: [orders] });
}

const CLIENT = {
  id: ID,
  requests: ['com.example/count'],
  notices: { 'com.example/orders': 'notifications/com.example/ordered' },
};

async function open(server: Server, options: ConnectOptions & { caller?: any }) {
  const client = await connectTest(server, { extensions: [CLIENT], ...options });
  onTestFinished(() => client.close());
  return client;
}

it.each(REVISIONS)('a client uses its extension on %s', async revision => {
  const client = await open(createRestaurant(), { revision });
  expect(client.server.extension(ID)).toEqual({});
  expect(await client.request('com.example/count')).toMatchObject({ count: 3 });
});

it.each(REVISIONS)(
  'a notice that not everybody may have reaches only those whom it is for on %s',
  async revision => {
    const server = createRestaurant();
    const heard: string[] = [];
    for (const principal of ['cook', 'guest']) {
      const client = await open(server, { revision, caller: { principal, scopes: [] }, onWarning: () => {} });
      let isReady = false;
      void (async () => {
        const filter = { notices: { 'com.example/orders': ['steak'] } };
        for await (const change of client.changes(filter, { onReady: () => (isReady = true) }))
          heard.push(`${principal}: ${'params' in change && change.params.dish}`);
      })();
      await until(() => expect(isReady).toBe(true));
    }
    server.announce('notifications/com.example/ordered', { dish: 'steak' });
    server.announce('notifications/com.example/ordered', { dish: 'steak' }, { principal: 'cook' });
    const expected = revision === '2026-07-28' ? 2 : 1;
    await until(() => expect(heard).toHaveLength(expected));
    expect(new Set(heard)).toEqual(new Set(['cook: steak']));
  },
);

it('a notice is sent as it was announced, whatever becomes of its parameters', async () => {
  const server = createRestaurant();
  const client = await open(server, { caller: { principal: 'cook', scopes: [] } });
  const dishes: unknown[] = [];
  let isReady = false;
  void (async () => {
    const filter = { notices: { 'com.example/orders': ['soup'] } };
    for await (const change of client.changes(filter, { onReady: () => (isReady = true) }))
      dishes.push('params' in change && change.params.table);
  })();
  await until(() => expect(isReady).toBe(true));
  const params = { dish: 'soup', table: 1 };
  server.announce('notifications/com.example/ordered', params);
  params.table = 2;
  await until(() => expect(dishes).toEqual([1]));
});

it('a client is told which part of a filter the server did not take', async () => {
  const warnings: string[] = [];
  const client = await open(createRestaurant(), { onWarning: text => warnings.push(text) });
  let active: unknown;
  void (async () => {
    const filter = { notices: { 'com.example/orders': ['soup', 'steak'] } };
    for await (const _ of client.changes(filter, { onReady: part => (active = part) }));
  })();
  await until(() => expect(active).toEqual({ notices: { 'com.example/orders': ['soup'] } }));
  expect(warnings).toEqual(['the server does not report changes of com.example/orders "steak"']);
});

describe('settings that are no object', () => {
  it('declare nothing', async () => {
    const client = await connectRaw(createRestaurant(), {
      capabilities: { extensions: { [ID]: true as never } },
    });
    await expect(client.request('com.example/count')).rejects.toMatchObject({ code: -32021 });
  });

  it('are refused where an author gives them', async () => {
    const server = createRestaurant();
    const capabilities = { extensions: { [ID]: true as never } };
    await expect(connect(server, { capabilities })).rejects.toThrow(
      `the settings of the extension "${ID}" must be an object: { '${ID}': {} }`,
    );
  });
});

it('an extension of a client claims no member of the filter that belongs to the protocol', async () => {
  const greedy = { id: ID, notices: { toolsListChanged: 'notifications/com.example/ordered' } };
  await expect(connect(createRestaurant(), { extensions: [greedy] })).rejects.toThrow(
    `the extension "${ID}" claims the filter "toolsListChanged", which belongs to the protocol`,
  );
});

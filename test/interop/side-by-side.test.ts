import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../interop-client/until.js';
import { type Bistro, openBistro } from './bistro.js';
import type { Host } from './host.js';
import { LEGACY, MODERN } from './revisions.js';
import { connectV1 } from './v1.js';
import { connectV2 } from './v2.js';

let bistro: Bistro;
let hosts: Host[];

beforeAll(async () => {
  bistro = await openBistro();
  hosts = await Promise.all([
    ...LEGACY.map(({ revision }) => connectV1('HTTP+SSE', revision, bistro)),
    ...LEGACY.map(({ revision }) => connectV1('Streamable HTTP', revision, bistro)),
    ...LEGACY.map(({ revision }) => connectV2('Streamable HTTP', { handshake: revision }, bistro)),
    connectV2('Streamable HTTP', { pin: MODERN.revision }, bistro),
    connectV2('Streamable HTTP', 'auto', bistro),
  ]);
});

afterAll(async () => {
  await Promise.all(hosts.map(host => host.close()));
  await bistro.close();
});

test('one server serves clients of every revision at once, each in its own words', async () => {
  const bells = await Promise.all(hosts.map(host => host.callTool('ring_bell')));
  expect(new Set(hosts.map(host => host.revision)).size).toBe(LEGACY.length + 1);
  for (const [index, { content }] of bells.entries()) {
    expect(content[0]?.type).toBe(hosts[index]?.revision === '2024-11-05' ? 'text' : 'audio');
  }
});

test('what one client changes, all who watch hear of', async () => {
  await Promise.all(hosts.map(host => host.watch('menu://friday')));
  await hosts[0]?.callTool('add_dish', { day: 'friday', dish: 'bread' });
  for (const { heard } of hosts) {
    await until(() => {
      expect(heard.updated).toEqual(['menu://friday']);
      expect(heard.toolChanges).toBe(1);
    });
  }
  const served = await Promise.all(hosts.map(host => host.callTool('order_bread')));
  expect(served.every(({ isError }) => !isError)).toBe(true);
});

test('each client hears only of the progress and the logs of its own calls', async () => {
  for (const { heard } of hosts) Object.assign(heard, { logs: [], progress: [] });
  const options = { onProgress: () => {}, logLevel: 'info' as const };
  await Promise.all(hosts.map(host => host.callTool('cook', { dish: 'quiche' }, options)));
  for (const { heard } of hosts) {
    expect(heard.progress.map(({ progress }) => progress)).toEqual([0, 1, 2]);
    await until(() => expect(heard.logs).toHaveLength(1));
  }
});
